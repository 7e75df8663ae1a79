"""Forms of English words: what a pattern needs to put one form of a verb, noun or adjective for another.

Needs the lemminflect package.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache

from redraft.lab.data.english_words import FUNCTION_WORDS
from redraft.text.words import word_set

_PARTS = {"VB": "VERB", "NN": "NOUN", "JJ": "ADJ"}
_TAGS = {"VB": ("VBG", "VBD", "VBZ", "VBN", "VB"), "NN": ("NNS", "NN"), "JJ": ("JJR", "JJS", "JJ")}
"""Forms that a word is looked up as where the pattern does not say which it is: *left* is a form of *leave*."""
_VERBS_AS_WELL = word_set("be am is are was were been being have has had having do does did done")
_NO_VERB = (FUNCTION_WORDS - _VERBS_AS_WELL) | word_set(
    "accordingly all always better both down each even evening ever everything following here home including king last "
    "later long morning never nothing often off out overnight own pending people recording regarding right soon "
    "something still there thing third through together up well worth concerning according anything during existing"
)
"""Words that a dictionary has as verbs, or as forms of verbs, and that are seldom verbs."""
_NO_NOUN = FUNCTION_WORDS | word_set(
    "able bad better big certain different due early easy few first general good great hard high human important "
    "large last late little long low main major new next old only other own poor possible private public real recent "
    "right same several short single small special such true various well whole young has does is was its us others"
)


@lru_cache(maxsize=1 << 16)
def find_lemma(word: str, tag: str) -> str | None:
    """Lemma of a word if a dictionary has it as this form (a Penn Treebank tag, such as VBG)."""
    import lemminflect

    part = _PARTS[tag[:2]]
    if word in (_NO_VERB if part == "VERB" else _NO_NOUN if part == "NOUN" else ()):
        return None
    for lemma in lemminflect.getAllLemmas(word).get(part, ()):
        forms = lemminflect.getAllInflections(lemma, part)
        if word in _forms_of(forms, tag) and (tag != "NNS" or word != lemma):
            return str(lemma)
    return None


@lru_cache(maxsize=1 << 16)
def inflect(lemma: str, tag: str) -> str | None:
    """First form of a lemma with this tag."""
    import lemminflect

    found = _forms_of(lemminflect.getAllInflections(lemma, _PARTS[tag[:2]]), tag)
    return found[0] if found else None


def _forms_of(forms: Mapping[str, tuple[str, ...]], tag: str) -> tuple[str, ...]:
    return forms.get(tag) or (forms.get("VBD", ()) if tag == "VBN" else ())


_SUBJECTS = {"me": "I", "him": "he", "her": "she", "us": "we", "them": "they"}
_OBJECTS = {subject.lower(): word for word, subject in _SUBJECTS.items()}
_REFLEXIVES = {
    "i": "myself", "you": "yourself", "he": "himself", "she": "herself", "it": "itself", "we": "ourselves",
    "they": "themselves",
}  # fmt: skip
_PRESENT_BE = {"i": "am", "he": "is", "she": "is", "it": "is", "this": "is", "that": "is"}
_THIRD = frozenset(["he", "she", "it", "this", "that"])

_BY_PRONOUN: Mapping[str, Callable[[str], str]] = {
    "subject": lambda word: _SUBJECTS.get(word, word),
    "object": lambda word: _OBJECTS.get(word, word),
    "reflexive": lambda word: _REFLEXIVES.get(word, "themselves"),
    "be": lambda word: _PRESENT_BE.get(word, "are"),
    "was": lambda word: "was" if word in _THIRD or word == "i" else "were",
    "have": lambda word: "has" if word in _THIRD else "have",
    "do": lambda word: "does" if word in _THIRD else "do",
    "lower": str,
}
"""What to write for a pronoun, in lower case; `be`: the present of *be* that goes with it."""


def change(word: str, found: str | None, wanted: str) -> str | None:
    """The word in the wanted form: a tag, or a key of the table above. `found` is the tag of the word."""
    if wanted in _BY_PRONOUN:
        return _BY_PRONOUN[wanted](word.lower())
    for tag in (found,) if found else _TAGS[wanted[:2]]:
        if lemma := find_lemma(word, tag):
            return inflect(lemma, wanted)
    return None
