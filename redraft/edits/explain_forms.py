"""Explanations of edits that change the form of a word: agreement, verb forms, plurals, adverbs, comparatives."""

from __future__ import annotations

import re
from dataclasses import dataclass

from redraft.edits.inflection import Form, are_derived, shifts
from redraft.edits.lexicon import (
    BE,
    COMMON_VERBS,
    DETERMINERS,
    DO,
    FEELINGS,
    GRADABLE,
    HAVE,
    IRREGULAR_NOUNS,
    IRREGULAR_VERBS,
    MIDDLE_ADVERBS,
    MODALS,
    NOUNS_AND_VERBS,
    NUMBERS,
    PREPOSITIONS,
    SINGULARS_IN_S,
    UNCOUNTABLE,
)
from redraft.text.words import word_set

_LONGEST_QUOTATION = 60
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_CLAUSE_END = re.compile(r"[.!?;:()\n]")


def fold(text: str) -> str:
    """Lower case, with straight apostrophes."""
    return text.lower().replace("’", "'")


def quote(text: str) -> str:
    """The text in quotation marks, shortened if it is long."""
    if len(text) > _LONGEST_QUOTATION:
        text = text[: _LONGEST_QUOTATION - 1].rstrip() + "…"
    return f"“{text}”"


@dataclass(frozen=True, slots=True)
class Substitution:
    """Words that are replaced by others, and the target words next to them, in lower case."""

    old: str
    new: str
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()

    @property
    def previous(self) -> str:
        return self.before[-1] if self.before else ""

    @property
    def governor(self) -> str:
        """The word before, without adverbs such as "not" and "always" in between."""
        words = (word.removesuffix("n't") for word in reversed(self.before))
        return next((word for word in words if word not in MIDDLE_ADVERBS and not word.endswith("ly")), "")


def last_words(text: str) -> tuple[str, ...]:
    """The last words of the text, in lower case, up to the start of the sentence or clause they are in."""
    clause = _CLAUSE_END.split(text[-_CONTEXT:])[-1]
    return tuple(_WORD.findall(fold(clause)))


def first_words(text: str) -> tuple[str, ...]:
    """The first words of the text, in lower case, up to the first mark other than a comma."""
    return tuple(_WORD.findall(fold(_CLAUSE_END.split(text[:_CONTEXT], maxsplit=1)[0])))


_CONTEXT = 80
_PLURAL_SUBJECTS = "I, you, we, they or a plural subject"
_SINGULAR_SUBJECTS = "a singular subject such as he, she or it"
_AGREEMENT = {
    "am": "Use {new} with I.",
    "are": "Use {new} with you, we, they or a plural subject.",
    "were": "Use {new} with you, we, they or a plural subject.",
    "was": f"Use {{new}} with I or {_SINGULAR_SUBJECTS}.",
    "this": "Use {new} with a singular noun.",
    "that": "Use {new} with a singular noun.",
    "these": "Use {new} with a plural noun.",
    "those": "Use {new} with a plural noun.",
}


def explain_agreement(words: Substitution) -> str | None:
    old, new = fold(words.old).removesuffix("n't"), fold(words.new).removesuffix("n't")
    if new == "were" and words.governor in {"i", "he", "she", "it"}:
        unreal = {"if", "wish", "though"} & set(words.before)
        return f"Use {quote(words.new)} for something that is not real." if unreal else None
    if new in _AGREEMENT:
        return _AGREEMENT[new].format(new=quote(words.new))
    for shift in shifts(old, new):
        if shift.target is Form.S:
            return f"Use {quote(words.new)} with {_SINGULAR_SUBJECTS}."
        if shift.source is Form.S and shift.target is Form.BASE:
            return f"Use {quote(words.new)} with {_PLURAL_SUBJECTS}."
    return None


_BEFORE_BASE_FORMS = MODALS | DO | word_set("to let lets make makes made help helps helped cannot")
_PRESENT_SUBJECTS = word_set("i you we they who people")
_PRONOUN_OBJECTS = word_set("me you him her it us them")


def explain_verb_form(words: Substitution) -> str | None:
    old, new = fold(words.old), fold(words.new)
    found = [shift for shift in shifts(old, new) if shift.target in _VERB_FORM_NAMES]
    forms = {shift.target for shift in found}
    if not found or len({shift.base for shift in found if shift.base in IRREGULAR_VERBS}) > 1:
        return None
    base = found[0].base
    if new in IRREGULAR_VERBS.get(base, ()) and old == base + "ed":
        return f"The verb {quote(base)} is irregular: write {quote(words.new)}, not {quote(words.old)}."
    if {Form.PAST, Form.PARTICIPLE} <= forms:
        if words.governor in BE | HAVE:
            return f"Use the past participle {quote(words.new)} here."
        return f"Use the {'-ed' if base in FEELINGS else 'past'} form {quote(words.new)} here."
    if forms == {Form.BASE}:
        return _explain_base_form(words)
    return f"Use {_VERB_FORM_NAMES[found[0].target]} {quote(words.new)} here." if len(forms) == 1 else None


def _explain_base_form(words: Substitution) -> str:
    """Only an infinitive is called the base form; after a subject the same form is the present tense."""
    # "made me feel", "Did you go"
    skipped = words.before[-2] if len(words.before) > 1 and words.previous in _PRONOUN_OBJECTS else ""
    if words.governor in _BEFORE_BASE_FORMS or skipped in _BEFORE_BASE_FORMS:
        return f"Use the base form {quote(words.new)} here."
    if words.governor in _PRESENT_SUBJECTS:
        return f"Use the present tense {quote(words.new)} here."
    return f"The right form here is {quote(words.new)}, not {quote(words.old)}."


_VERB_FORM_NAMES = {
    Form.BASE: "the base form",
    Form.S: "the present tense",
    Form.PAST: "the past tense",
    Form.PARTICIPLE: "the past participle",
    Form.GERUND: "the -ing form",
}


def explain_noun_number(words: Substitution) -> str | None:
    old, new = fold(words.old), fold(words.new)
    if new in UNCOUNTABLE and old == new + "s":
        return f"{quote(words.old)} is not used in the plural: write {quote(words.new)}."
    if new in IRREGULAR_NOUNS.values() and old == new + "s":
        return f"{quote(words.new)} is a plural without “-s”."
    for shift in shifts(old, new):
        if shift.target is Form.PLURAL and old in {shift.base + "s", shift.base + "es"}:
            return f"The plural of {quote(shift.base)} is {quote(words.new)}."
        if Form.BASE in {shift.source, shift.target} and {shift.source, shift.target} & {Form.S, Form.PLURAL}:
            is_singular = shift.target is Form.BASE
            named = new not in SINGULARS_IN_S and old not in SINGULARS_IN_S
            if named and (Form.PLURAL in {shift.source, shift.target} or _is_noun(words, shift.base)):
                return f"Use the {'singular' if is_singular else 'plural'} {quote(words.new)} here."
            return f"Use the form {quote(words.new)} here, {'without' if is_singular else 'with'} “-s”."
    return None


_NOUNS_OR_VERBS = COMMON_VERBS | NOUNS_AND_VERBS
_BEFORE_NOUNS = (DETERMINERS | PREPOSITIONS | GRADABLE | NUMBERS) - {"to", "which", "that", "what", "all", "both"}


def _is_noun(words: Substitution, base: str) -> bool:
    """Whether the word is certainly a noun in this context, not a verb."""
    if base not in _NOUNS_OR_VERBS and not base.endswith(("ize", "ise", "ify", "ate")):
        return True
    previous = words.previous
    return previous in _BEFORE_NOUNS or previous.isdigit() or previous.endswith(("'s", "ous", "ive", "ful"))


# Words in -ly that are no adverbs.
_NO_ADVERBS = word_set(
    "friendly lovely lonely lively daily weekly monthly yearly early ugly silly likely elderly costly orderly deadly "
    "brotherly fatherly motherly timely worldly holy only family reply supply apply rely"
)


def explain_word_form(words: Substitution) -> str | None:
    old, new = fold(words.old), fold(words.new)
    if new == old + "'s":
        return f"The ending “'s” is needed here: {quote(words.new)}."
    contraction = _explain_contraction(old, new, words)
    if contraction:
        return contraction
    for shift in shifts(old.removeprefix("more ").removeprefix("most "), new):
        if shift.target in _DEGREES and shift.base in GRADABLE:
            return f"Use the {_DEGREES[shift.target]} {quote(words.new)} here."
        is_adjective = not words.before or words.governor in _BEFORE_ADJECTIVES
        if is_adjective and shift.base in FEELINGS and {shift.source, shift.target} == {Form.PARTICIPLE, Form.GERUND}:
            felt, causing = (words.new, words.old) if shift.target is Form.PARTICIPLE else (words.old, words.new)
            return f"{quote(felt)} says how someone feels; {quote(causing)} says what causes the feeling."
    if new.endswith("ly") and new not in _NO_ADVERBS and are_derived(old, new):
        return f"Use the adverb {quote(words.new)} here."
    return None


_BEFORE_ADJECTIVES = (
    BE
    | DETERMINERS
    | word_set(
        "feel feels felt get gets got become became look looks looked seem seems seemed very so too quite more most"
    )
)
_DEGREES = {Form.COMPARATIVE: "comparative", Form.SUPERLATIVE: "superlative"}


def _explain_contraction(old: str, new: str, words: Substitution) -> str | None:
    if "'" in old and " " in new:
        return f"{quote(words.new)} is the full form of {quote(words.old)}."
    if "'" in new and " " in old:
        return f"{quote(words.new)} is short for {quote(words.old)}."
    return None
