"""One sentence that explains to a learner why an edit is made: in Chinese for Chinese texts, else in English."""

from __future__ import annotations

from collections.abc import Callable

from redraft.edits import chinese
from redraft.edits.edit import Kind
from redraft.edits.explain_forms import (
    Substitution,
    explain_agreement,
    explain_noun_number,
    explain_verb_form,
    explain_word_form,
    first_words,
    fold,
    last_words,
    quote,
)
from redraft.edits.lexicon import ACCENTS, ARTICLES, DAYS_AND_MONTHS, GLOSSES, POSSESSIVES, PREPOSITIONS
from redraft.text.dialects import Dialect, respell
from redraft.text.scripts import is_chinese
from redraft.text.words import word_set


def explain(kind: Kind, source: str, replacement: str, language: str = "en", before: str = "", after: str = "") -> str:
    """One sentence that says why `source` is replaced by `replacement`; `before` and `after` is the text around it."""
    if is_chinese(language):
        return chinese.explain(kind, source, replacement)
    if kind is Kind.SPACING:
        return _explain_spacing(source, replacement)
    old, new = " ".join(source.split()), " ".join(replacement.split())
    if kind is Kind.PUNCTUATION:
        return _explain_punctuation(old, new)
    previous, following = last_words(before), first_words(after)
    if old and new and kind not in _WHOLE:
        old, new, head, tail = _strip_common(old, new)
        previous, following = previous + head, tail + following
    if old and new:
        return _explain_substitution(kind, Substitution(old, new, previous, following))
    if not old and not new:
        return _GENERAL[Kind.OTHER].format(
            old=quote(" ".join(source.split())), new=quote(" ".join(replacement.split()))
        )
    return _explain_deletion(kind, old, previous, following) if old else _explain_insertion(kind, new, following)


_WHOLE = frozenset({Kind.CASING, Kind.WORD_ORDER, Kind.OTHER})


def _strip_common(old: str, new: str) -> tuple[str, str, tuple[str, ...], tuple[str, ...]]:
    """Both texts without the words that they begin and end with alike, and these words in lower case."""
    left, right = old.split(), new.split()
    head = tail = 0
    while head < min(len(left), len(right)) and fold(left[head]) == fold(right[head]):
        head += 1
    while tail < min(len(left), len(right)) - head and fold(left[-1 - tail]) == fold(right[-1 - tail]):
        tail += 1
    left, right, kept = left[head : len(left) - tail], right[head : len(right) - tail], right
    ends = kept[:head], kept[len(kept) - tail :]
    return " ".join(left), " ".join(right), last_words(" ".join(ends[0])), first_words(" ".join(ends[1]))


def _explain_substitution(kind: Kind, words: Substitution) -> str:
    if kind is Kind.CASING:
        return _explain_casing(words.old, words.new)
    if kind is Kind.DIALECT:
        return _explain_dialect(words.old, words.new)
    specific = _SPECIFIC[kind](words) if kind in _SPECIFIC else None
    if kind in _GLOSSED:
        specific = _contrast(words.old, words.new) or specific
    return specific or _GENERAL[kind].format(old=quote(words.old), new=quote(words.new))


def _explain_dialect(old: str, new: str) -> str:
    if respell(old, Dialect.AMERICAN) is not None:
        return f"British spelling; American English writes {quote(new)}."
    return f"American spelling; British English writes {quote(new)}."


def _contrast(old: str, new: str) -> str | None:
    """The meanings of two words that are often confused."""
    gloss, other_gloss = GLOSSES.get(fold(new)), GLOSSES.get(fold(old))
    if not gloss or not other_gloss or gloss == other_gloss:
        return None
    return f"{quote(new)} {gloss}; {quote(old)} {other_gloss}."


_GLOSSED = frozenset({Kind.WORD_CHOICE, Kind.WORD_FORM, Kind.SPELLING, Kind.PRONOUN, Kind.OTHER})

_GENERAL = {
    Kind.SPELLING: "The correct spelling here is {new}, not {old}.",
    Kind.ARTICLE: "The right word here is {new}, not {old}.",
    Kind.PREPOSITION: "The right preposition here is {new}, not {old}.",
    Kind.PRONOUN: "The right pronoun here is {new}, not {old}.",
    Kind.AGREEMENT: "Use {new} here, so that it agrees with the word it belongs to.",
    Kind.VERB_FORM: "The right verb form here is {new}, not {old}.",
    Kind.NOUN_NUMBER: "Use the form {new} here, not {old}.",
    Kind.WORD_FORM: "The right form of the word here is {new}, not {old}.",
    Kind.WORD_ORDER: "The usual word order here is {new}.",
    Kind.WORD_CHOICE: "{new} fits better here than {old}.",
    Kind.MISSING_WORD: "Write {new} here instead of {old}.",
    Kind.REDUNDANCY: "Write {new} here instead of {old}.",
    Kind.OTHER: "Write {new} here instead of {old}.",
}


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
        return f"{_capitalize(new_mark)} is needed here." if new_mark else f"Add {quote(new)} here."
    if not new:
        return f"No {old_mark.partition(' ')[2]} is needed here." if old_mark else f"Leave out {quote(old)} here."
    if old_mark and new_mark and old_mark != new_mark:
        return f"Use {new_mark} here instead of {old_mark}."
    return _explain_accent(old, new) or _explain_marked_words(old, new)


def _explain_accent(old: str, new: str) -> str | None:
    accent = next((accent for accent in ACCENTS if fold(old.replace(accent, "'")) == fold(new) != fold(old)), None)
    return accent and f"{quote(new)} is written with an apostrophe, not with “{accent}”."


def _explain_marked_words(old: str, new: str) -> str:
    """Explains punctuation that is changed inside words or together with words."""
    folded_old, folded_new = fold(old), fold(new)
    contrast = _contrast(old, new)
    if contrast:
        return contrast
    for sign, name in (("'", "an apostrophe"), ("-", "a hyphen")):
        if sign in folded_new and folded_new.replace(sign, "") in {folded_old, folded_old.replace(" ", "")}:
            return f"{quote(new)} is written with {name} here."
        if sign in folded_old and folded_old.replace(sign, "") in {folded_new, folded_new.replace(" ", "")}:
            return f"{quote(new)} is written without {name} here."
    mark, _, next_sentence = new.partition(" ")
    if mark in {".", "!", "?"} and next_sentence:
        mark = _MARKS[mark]
        return f"End the sentence here with {mark} and begin a new one."
    if any(map(str.isalnum, old + new)):
        return f"Write {quote(new)} here, not {quote(old)}."
    return f"The punctuation here should be {quote(new)}, not {quote(old)}."


def _capitalize(text: str | None) -> str:
    return text[:1].upper() + text[1:] if text else ""


def _explain_spacing(source: str, replacement: str) -> str:
    old, new = source.split(), replacement.split()
    if not new:
        if not source:
            return "Add a space here." if replacement == " " else "Add white space here."
        return "Remove the space here." if not replacement else "The spacing here should be different."
    if old == new == [","]:
        return "The space goes behind the comma."
    if len(new) == 1:
        return f"{quote(new[0])} is written as one word here."
    if len(new) > len(old):
        return f"{quote(' '.join(new))} is written with a space here."
    return f"The spacing here should be {quote(' '.join(new))}."


_INSERTIONS = {
    Kind.PRONOUN: "A pronoun is missing here: add {new}.",
    Kind.VERB_FORM: "The verb is not complete without {new}.",
    Kind.WORD_FORM: "The ending {new} is needed here.",
}
# The other pronouns may be determiners or conjunctions as well: one, that, which.
_CLEAR_PRONOUNS = POSSESSIVES | word_set(
    "i you he she it we they me him us them myself yourself himself herself itself ourselves themselves someone "
    "somebody something anyone anybody anything everyone everybody everything nobody nothing who"
)
# Before these words an article has nothing to do with a countable noun: a few, a lot, a couple.
_QUANTITIES = word_set("few lot couple little bit number dozen hundred thousand million great good")


def _explain_insertion(kind: Kind, new: str, following: tuple[str, ...]) -> str:
    folded = fold(new)
    if not new[0].isalnum() and any(map(str.isalnum, new)) and kind is not Kind.WORD_FORM:
        return _explain_marked_insertion(new)
    if kind is Kind.ARTICLE and folded in ARTICLES:
        if folded == "the" or (following and following[0] in _QUANTITIES):
            return f"The article {quote(new)} is needed here."
        return f"A singular countable noun usually needs an article: add {quote(new)}."
    if kind is Kind.PREPOSITION and folded in PREPOSITIONS:
        return f"The {'word' if folded == 'to' else 'preposition'} {quote(new)} is needed here."
    missing = "Words are" if " " in new else "A word is"
    if kind is Kind.PRONOUN and folded not in _CLEAR_PRONOUNS:
        return f"{missing} missing here: add {quote(new)}."
    return _INSERTIONS.get(kind, missing + " missing here: add {new}.").format(new=quote(new))


def _explain_marked_insertion(new: str) -> str:
    """Explains the insertion of a punctuation mark and the word after it."""
    mark, _, word = new.partition(" ")
    if mark in {".", "!", "?"} and word:
        return f"End the sentence here with {_MARKS[mark]} and begin a new one with {quote(word)}."
    return f"Add {quote(new)} here."


def _explain_deletion(kind: Kind, old: str, previous: tuple[str, ...], following: tuple[str, ...]) -> str:
    folded = fold(old)
    repeated = tuple(folded.split())
    if kind is Kind.REDUNDANCY and (previous[-len(repeated) :] == repeated or following[: len(repeated)] == repeated):
        return f"{quote(old)} is repeated here."
    match kind:
        case Kind.ARTICLE if folded in ARTICLES:
            return f"No article is needed here: leave out {quote(old)}."
        case Kind.PREPOSITION if folded in PREPOSITIONS and folded != "to":
            return f"No preposition is needed here: leave out {quote(old)}."
        case Kind.VERB_FORM:
            return f"The verb does not need {quote(old)} here."
    return f"{quote(old)} is not needed here."


def _explain_casing(old: str, new: str) -> str:
    if new == "I":
        return "The pronoun “I” is always written with a capital letter."
    if new[:1].isupper() and fold(new) in DAYS_AND_MONTHS:
        return f"Days and months begin with a capital letter: {quote(new)}."
    if new[:1].isupper() and old[:1].islower() and new[1:] == old[1:]:
        return f"{quote(new)} begins with a capital letter here."
    if new.isupper() or new.islower():
        return f"{quote(new)} is written in {'capital' if new.isupper() else 'small'} letters here."
    return f"The capital and small letters here should be {quote(new)}."


def _explain_article(words: Substitution) -> str | None:
    match fold(words.old), fold(words.new):
        case "a", "an":
            return "Use “an” before a vowel sound."
        case "an", "a":
            return "Use “a” before a consonant sound."
        case "a" | "an", "the":
            return "Use “the” when it is clear which one is meant."
        case "the", "a" | "an":
            return f"Use {quote(words.new)} for one thing of a kind, when it is not yet clear which one is meant."
    return None


def _explain_preposition(words: Substitution) -> str | None:
    if all(word in PREPOSITIONS for word in fold(f"{words.old} {words.new}").split()):
        return None
    return f"The right word here is {quote(words.new)}, not {quote(words.old)}."


_SPECIFIC: dict[Kind, Callable[[Substitution], str | None]] = {
    Kind.ARTICLE: _explain_article,
    Kind.PREPOSITION: _explain_preposition,
    Kind.AGREEMENT: explain_agreement,
    Kind.VERB_FORM: explain_verb_form,
    Kind.NOUN_NUMBER: explain_noun_number,
    Kind.WORD_FORM: explain_word_form,
}
