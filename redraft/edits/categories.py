"""Kinds of edits as people and other programs' clients know them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from redraft.edits.edit import Kind


def rule_of(kind: Kind) -> str:
    """The visible id of a kind of edit. Editors offer their dictionaries for ids that end in _SPELLING_RULE."""
    return "REDRAFT_SPELLING_RULE" if kind is Kind.SPELLING else f"REDRAFT_{kind.name}"


@dataclass(frozen=True, slots=True)
class Category:
    """LanguageTool's groups of rules, by which its clients choose colours and their users turn rules off."""

    id: str
    name: str
    issue_type: str


_TYPOS = Category("TYPOS", "Possible Typo", "misspelling")
_CASING = Category("CASING", "Capitalization", "typographical")
_PUNCTUATION = Category("PUNCTUATION", "Punctuation", "typographical")
_TYPOGRAPHY = Category("TYPOGRAPHY", "Typography", "whitespace")
_GRAMMAR = Category("GRAMMAR", "Grammar", "grammar")
_CONFUSED_WORDS = Category("CONFUSED_WORDS", "Commonly Confused Words", "grammar")
_REDUNDANCY = Category("REDUNDANCY", "Redundant Phrases", "duplication")
_MISC = Category("MISC", "Miscellaneous", "uncategorized")


@dataclass(frozen=True, slots=True)
class Rule:
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
        (Kind.SPELLING, "Spelling", "A word that is not spelled right", _TYPOS),
        (Kind.CASING, "Capital letters", "A capital letter too many or too few", _CASING),
        (Kind.PUNCTUATION, "Punctuation", "A mark that is missing, wrong or too much", _PUNCTUATION),
        (Kind.SPACING, "Spacing", "A space that is missing or too much", _TYPOGRAPHY),
        (Kind.ARTICLE, "Article", "“a”, “an” or “the”: wrong, missing or too much", _GRAMMAR),
        (Kind.PREPOSITION, "Preposition", "A preposition that is wrong, missing or too much", _GRAMMAR),
        (Kind.PRONOUN, "Pronoun", "A pronoun of the wrong form, missing or too much", _GRAMMAR),
        (
            Kind.AGREEMENT,
            "Agreement",
            "A verb that does not agree with its subject; in Chinese a measure word",
            _GRAMMAR,
        ),
        (Kind.VERB_FORM, "Verb form", "A verb of the wrong form or tense; in Chinese a particle such as 了", _GRAMMAR),
        (Kind.NOUN_NUMBER, "Noun number", "Singular where plural should stand, or the other way round", _GRAMMAR),
        (Kind.WORD_FORM, "Word form", "The right word as the wrong part of speech; in Chinese 的, 地 and 得", _GRAMMAR),
        (Kind.WORD_ORDER, "Word order", "Words in the wrong order", _GRAMMAR),
        (Kind.WORD_CHOICE, "Word choice", "A word that does not say what is meant", _CONFUSED_WORDS),
        (Kind.MISSING_WORD, "Missing word", "A word that was left out", _GRAMMAR),
        (Kind.REDUNDANCY, "Redundancy", "A word too much", _REDUNDANCY),
        (Kind.OTHER, "Other", "Something else to mend", _MISC),
    )
}
