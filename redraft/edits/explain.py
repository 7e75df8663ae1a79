"""One line that tells a learner why an edit is made: in Chinese of Chinese texts, else in English."""

from __future__ import annotations

from collections.abc import Callable

from redraft.edits import chinese
from redraft.edits.edit import Kind
from redraft.edits.inflection import Form, are_derived, shifts
from redraft.edits.lexicon import (
    ARTICLES,
    FEELINGS,
    GLOSSES,
    IRREGULAR_NOUNS,
    IRREGULAR_VERBS,
    PREPOSITIONS,
    UNCOUNTABLE,
)
from redraft.text.dialects import Dialect, respell
from redraft.text.scripts import is_chinese
from redraft.text.words import word_set

_LONGEST_QUOTATION = 60


def explain(kind: Kind, source: str, replacement: str, language: str = "en") -> str:
    """Why `source` becomes `replacement`: one sentence, in plain words."""
    if is_chinese(language):
        return chinese.explain(kind, source, replacement)
    if kind is Kind.SPACING:
        return _explain_spacing(source, replacement)
    old, new = " ".join(source.split()), " ".join(replacement.split())
    if kind is Kind.PUNCTUATION:
        return _explain_punctuation(old, new)
    if old and new:
        return _explain_substitution(kind, old, new)
    return _explain_deletion(kind, old) if old else _explain_insertion(kind, new)


def _explain_substitution(kind: Kind, old: str, new: str) -> str:
    if kind is Kind.CASING:
        return _explain_casing(old, new)
    if kind is Kind.DIALECT:
        return _explain_dialect(old, new)
    specific = _SPECIFIC[kind](_fold(old), _fold(new)) if kind in _SPECIFIC else None
    if kind in _GLOSSED:
        specific = _contrast(old, new) or specific
    return specific or _GENERAL[kind].format(old=_quote(old), new=_quote(new))


def _explain_dialect(old: str, new: str) -> str:
    if respell(old, Dialect.AMERICAN) is not None:
        return f"British spelling; American English writes {_quote(new)}."
    return f"American spelling; British English writes {_quote(new)}."


def _contrast(old: str, new: str) -> str | None:
    """What each of two words that are taken for each other is for."""
    gloss, other_gloss = GLOSSES.get(_fold(new)), GLOSSES.get(_fold(old))
    if not gloss or not other_gloss or gloss == other_gloss:
        return None
    return f"{_quote(new)} {gloss}; {_quote(old)} {other_gloss}."


_GLOSSED = frozenset({Kind.WORD_CHOICE, Kind.WORD_FORM, Kind.SPELLING, Kind.PRONOUN, Kind.OTHER})

_GENERAL = {
    Kind.SPELLING: "The correct spelling here is {new}, not {old}.",
    Kind.ARTICLE: "The right word before the noun here is {new}, not {old}.",
    Kind.PREPOSITION: "The right preposition here is {new}, not {old}.",
    Kind.PRONOUN: "The right pronoun here is {new}, not {old}.",
    Kind.AGREEMENT: "Use {new} here, so that it agrees with the word it belongs to.",
    Kind.VERB_FORM: "The right verb form here is {new}, not {old}.",
    Kind.NOUN_NUMBER: "Use the form {new} here, not {old}.",
    Kind.WORD_FORM: "The right form of the word here is {new}, not {old}.",
    Kind.WORD_ORDER: "The usual word order here is {new}.",
    Kind.WORD_CHOICE: "{new} fits better here than {old}.",
    Kind.MISSING_WORD: "Something is missing here: write {new} instead of {old}.",
    Kind.REDUNDANCY: "Some words are not needed here: write {new} instead of {old}.",
    Kind.OTHER: "Write {new} here instead of {old}.",
}


def _quote(text: str) -> str:
    if len(text) > _LONGEST_QUOTATION:
        text = text[: _LONGEST_QUOTATION - 1].rstrip() + "…"
    return f"“{text}”"


def _fold(text: str) -> str:
    return text.lower().replace("’", "'")


_MARKS = {
    ",": "a comma",
    ".": "a full stop",
    "?": "a question mark",
    "!": "an exclamation mark",
    ";": "a semicolon",
    ":": "a colon",
    "-": "a hyphen",
    "–": "a dash",
    "—": "a dash",
    "'": "an apostrophe",
    "’": "an apostrophe",
    '"': "a quotation mark",
    "“": "an opening quotation mark",
    "”": "a closing quotation mark",
    "(": "an opening bracket",
    ")": "a closing bracket",
    "...": "an ellipsis",
    "…": "an ellipsis",
}


def _explain_punctuation(old: str, new: str) -> str:
    old_mark, new_mark = _MARKS.get(old), _MARKS.get(new)
    if not old:
        return f"{_capitalize(new_mark)} is needed here." if new_mark else f"Add {_quote(new)} here."
    if not new:
        return f"No {old_mark.partition(' ')[2]} is needed here." if old_mark else f"Leave out {_quote(old)} here."
    if old_mark and new_mark and old_mark != new_mark:
        return f"Use {new_mark} here instead of {old_mark}."
    return _explain_marked_words(old, new)


def _explain_marked_words(old: str, new: str) -> str:
    """Of punctuation that changed together with, or inside, words."""
    folded_old, folded_new = _fold(old), _fold(new)
    contrast = _contrast(old, new)
    if contrast:
        return contrast
    for sign, name in (("'", "an apostrophe"), ("-", "a hyphen")):
        if sign in folded_new and folded_new.replace(sign, "") in {folded_old, folded_old.replace(" ", "")}:
            return f"{_quote(new)} is written with {name} here."
        if sign in folded_old and folded_old.replace(sign, "") in {folded_new, folded_new.replace(" ", "")}:
            return f"{_quote(new)} is written without {name} here."
    mark, _, next_sentence = new.partition(" ")
    if mark in {".", "!", "?"} and next_sentence:
        mark = _MARKS[mark]
        return f"End the sentence here with {mark} and begin a new one."
    return f"The punctuation here should be {_quote(new)}, not {_quote(old)}."


def _capitalize(text: str | None) -> str:
    return text[:1].upper() + text[1:] if text else ""


def _explain_spacing(source: str, replacement: str) -> str:
    old, new = source.split(), replacement.split()
    if not new:
        if not source:
            return "Add a space here." if replacement == " " else "Add white space here."
        return "Remove the space here." if not replacement else "The spacing here should be different."
    if len(new) == 1:
        return f"{_quote(new[0])} is written as one word here."
    if len(new) > len(old):
        return f"{_quote(' '.join(new))} is written with a space here."
    return f"The spacing here should be {_quote(' '.join(new))}."


_INSERTIONS = {
    Kind.PRONOUN: "A pronoun is missing here: add {new}.",
    Kind.VERB_FORM: "The verb is not complete without {new}.",
    Kind.WORD_FORM: "The ending {new} is needed here.",
}


def _explain_insertion(kind: Kind, new: str) -> str:
    folded = _fold(new)
    if kind is Kind.ARTICLE and folded in ARTICLES:
        reason = "A singular countable noun usually needs an article: add {new}."
        return (reason if folded != "the" else "The article {new} is needed here.").format(new=_quote(new))
    if kind is Kind.PREPOSITION and folded in PREPOSITIONS:
        return f"The preposition {_quote(new)} is needed here."
    missing = "Words are" if " " in new else "A word is"
    return _INSERTIONS.get(kind, missing + " missing here: add {new}.").format(new=_quote(new))


def _explain_deletion(kind: Kind, old: str) -> str:
    folded = _fold(old)
    match kind:
        case Kind.ARTICLE if folded in ARTICLES:
            return f"No article is needed here: leave out {_quote(old)}."
        case Kind.PREPOSITION if folded in PREPOSITIONS:
            return f"No preposition is needed here: leave out {_quote(old)}."
        case Kind.VERB_FORM:
            return f"The verb does not need {_quote(old)} here."
    return f"{_quote(old)} is not needed here."


_DAYS_AND_MONTHS = word_set(
    "monday tuesday wednesday thursday friday saturday sunday "
    "january february april june july august september october november december"
)


def _explain_casing(old: str, new: str) -> str:
    if new == "I":
        return "The pronoun “I” is always written with a capital letter."
    if new[:1].isupper() and _fold(new) in _DAYS_AND_MONTHS:
        return f"Days and months begin with a capital letter: {_quote(new)}."
    if new[:1].isupper() and old[:1].islower() and new[1:] == old[1:]:
        return f"{_quote(new)} begins with a capital letter here."
    if new.isupper() or new.islower():
        return f"{_quote(new)} is written in {'capital' if new.isupper() else 'small'} letters here."
    return f"The capital and small letters here should be {_quote(new)}."


def _explain_article(old: str, new: str) -> str | None:
    match old, new:
        case "a", "an":
            return "Use “an” before a vowel sound."
        case "an", "a":
            return "Use “a” before a consonant sound."
        case "a" | "an", "the":
            return "Use “the” when it is clear which one is meant."
        case "the", "a" | "an":
            return f"Use {_quote(new)} for one thing of a kind, when it is not yet clear which one is meant."
    return None


_PLURAL_SUBJECTS = "I, you, we, they or a plural subject"
_SINGULAR_SUBJECTS = "a singular subject such as he, she or it"
_AGREEMENT = {
    "am": "Use “am” with I.",
    "are": "Use “are” with you, we, they or a plural subject.",
    "were": "Use “were” with you, we, they or a plural subject.",
    "was": f"Use “was” with I or {_SINGULAR_SUBJECTS}.",
    "this": "Use “this” with a singular noun.",
    "that": "Use “that” with a singular noun.",
    "these": "Use “these” with a plural noun.",
    "those": "Use “those” with a plural noun.",
}


def _explain_agreement(old: str, new: str) -> str | None:
    if new in _AGREEMENT:
        return _AGREEMENT[new]
    for shift in shifts(old.removesuffix("n't"), new.removesuffix("n't")):
        if shift.target is Form.S:
            return f"Use {_quote(new)} with {_SINGULAR_SUBJECTS}."
        if shift.source is Form.S and shift.target is Form.BASE:
            return f"Use {_quote(new)} with {_PLURAL_SUBJECTS}."
    return None


def _explain_verb_form(old: str, new: str) -> str | None:
    found = [shift for shift in shifts(old, new) if shift.target in _VERB_FORM_NAMES]
    forms = {shift.target for shift in found}
    if not found or len({shift.base for shift in found if shift.base in IRREGULAR_VERBS}) > 1:
        return None
    base = found[0].base
    if new in IRREGULAR_VERBS.get(base, ()) and old == base + "ed":
        return f"The verb {_quote(base)} is irregular: write {_quote(new)}, not {_quote(old)}."
    if {Form.PAST, Form.PARTICIPLE} <= forms:
        return f"Use the past form {_quote(new)} here."
    return f"Use {_VERB_FORM_NAMES[found[0].target]} {_quote(new)} here." if len(forms) == 1 else None


_VERB_FORM_NAMES = {
    Form.BASE: "the base form",
    Form.S: "the present tense",
    Form.PAST: "the past tense",
    Form.PARTICIPLE: "the past participle",
    Form.GERUND: "the -ing form",
}


def _explain_noun_number(old: str, new: str) -> str | None:
    if new in UNCOUNTABLE and old == new + "s":
        return f"{_quote(old)} is not used in the plural: write {_quote(new)}."
    if new in IRREGULAR_NOUNS.values() and old == new + "s":
        return f"{_quote(new)} is a plural without “-s”."
    for shift in shifts(old, new):
        if shift.target is Form.PLURAL and old in {shift.base + "s", shift.base + "es"}:
            return f"The plural of {_quote(shift.base)} is {_quote(new)}."
        if shift.source is Form.BASE and shift.target in {Form.S, Form.PLURAL}:
            return f"Use the plural {_quote(new)} here."
        if shift.source in {Form.S, Form.PLURAL} and shift.target is Form.BASE:
            return f"Use the singular {_quote(new)} here."
    return None


# Words in -ly that are adjectives.
_NO_ADVERBS = word_set(
    "friendly lovely lonely lively daily weekly monthly yearly early ugly silly likely elderly costly orderly deadly "
    "brotherly fatherly motherly timely worldly holy only family reply supply apply rely"
)


def _explain_word_form(old: str, new: str) -> str | None:
    if new == old + "'s":
        return f"The ending “'s” is needed here: {_quote(new)}."
    for shift in shifts(old.removeprefix("more ").removeprefix("most "), new):
        if shift.target in _DEGREES:
            return f"Use the {_DEGREES[shift.target]} {_quote(new)} here."
        if shift.base in FEELINGS and {shift.source, shift.target} == {Form.PARTICIPLE, Form.GERUND}:
            felt, causing = (new, old) if shift.target is Form.PARTICIPLE else (old, new)
            return f"{_quote(felt)} says how someone feels; {_quote(causing)} says what causes the feeling."
    if new.endswith("ly") and new not in _NO_ADVERBS and are_derived(old, new):
        return f"Use the adverb {_quote(new)} here."
    return None


_DEGREES = {Form.COMPARATIVE: "comparative", Form.SUPERLATIVE: "superlative"}

_SPECIFIC: dict[Kind, Callable[[str, str], str | None]] = {
    Kind.ARTICLE: _explain_article,
    Kind.AGREEMENT: _explain_agreement,
    Kind.VERB_FORM: _explain_verb_form,
    Kind.NOUN_NUMBER: _explain_noun_number,
    Kind.WORD_FORM: _explain_word_form,
}
