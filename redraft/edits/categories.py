"""Rules and categories of edits, as shown to users and to clients of LanguageTool's API."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from redraft.edits.edit import Kind


def rule_of(kind: Kind) -> str:
    """Rule id of a kind. Editors offer to add the word to a dictionary for ids that end in _SPELLING_RULE."""
    return "REDRAFT_SPELLING_RULE" if kind is Kind.SPELLING else f"REDRAFT_{kind.name}"


@dataclass(frozen=True, slots=True)
class Category:
    """A category of LanguageTool: its clients choose colours by it, and users turn categories off."""

    id: str
    name: str
    issue_type: str


_TYPOS = Category("TYPOS", "Possible Typo", "misspelling")
_REGIONALISMS = Category("REGIONALISMS", "Regionalisms", "locale-violation")
_CASING = Category("CASING", "Capitalization", "typographical")
_PUNCTUATION = Category("PUNCTUATION", "Punctuation", "typographical")
_TYPOGRAPHY = Category("TYPOGRAPHY", "Typography", "whitespace")
_GRAMMAR = Category("GRAMMAR", "Grammar", "grammar")
_CONFUSED_WORDS = Category("CONFUSED_WORDS", "Commonly Confused Words", "grammar")
_REDUNDANCY = Category("REDUNDANCY", "Redundant Phrases", "duplication")
_MISC = Category("MISC", "Miscellaneous", "uncategorized")


@dataclass(frozen=True, slots=True)
class Rule:
    """Id, name, description and category that are shown for one kind of edit."""

    kind: Kind
    name: str
    description: str
    category: Category

    @property
    def id(self) -> str:
        return rule_of(self.kind)


RULES: Mapping[Kind, Rule] = {
    kind: Rule(kind, name, description, category)
    for kind, name, description, category in (
        (Kind.SPELLING, "Spelling", "A misspelt word", _TYPOS),
        (Kind.DIALECT, "American or British spelling", "A word in the spelling of the other country", _REGIONALISMS),
        (Kind.CASING, "Capital letters", "A capital letter that is missing or not needed", _CASING),
        (Kind.PUNCTUATION, "Punctuation", "A punctuation mark that is missing, wrong or not needed", _PUNCTUATION),
        (Kind.SPACING, "Spacing", "A space that is missing or not needed", _TYPOGRAPHY),
        (Kind.ARTICLE, "Article", "“a”, “an” or “the” that is wrong, missing or not needed", _GRAMMAR),
        (Kind.PREPOSITION, "Preposition", "A preposition that is wrong, missing or not needed", _GRAMMAR),
        (Kind.PRONOUN, "Pronoun", "A pronoun that is wrong, missing or not needed", _GRAMMAR),
        (
            Kind.AGREEMENT,
            "Agreement",
            "A verb that does not agree with its subject; in Chinese a measure word",
            _GRAMMAR,
        ),
        (Kind.VERB_FORM, "Verb form", "A verb in the wrong form or tense; in Chinese a particle such as 了", _GRAMMAR),
        (Kind.NOUN_NUMBER, "Noun number", "A singular noun instead of a plural, or the reverse", _GRAMMAR),
        (Kind.WORD_FORM, "Word form", "The right word as the wrong part of speech; in Chinese 的, 地 and 得", _GRAMMAR),
        (Kind.WORD_ORDER, "Word order", "Words in the wrong order", _GRAMMAR),
        (Kind.WORD_CHOICE, "Word choice", "A word that does not say what is meant", _CONFUSED_WORDS),
        (Kind.MISSING_WORD, "Missing word", "A word that was left out", _GRAMMAR),
        (Kind.REDUNDANCY, "Redundancy", "A word that is not needed", _REDUNDANCY),
        (Kind.OTHER, "Other", "An error of another kind", _MISC),
    )
}
