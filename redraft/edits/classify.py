"""What an edit mends, told from the words and their neighbours.

The lists and rules are English, and Chinese in `chinese.py`; what they do not know is told apart by its shape alone, in
any language.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from redraft.edits import chinese
from redraft.edits.align import Change
from redraft.edits.common_prefix import common_prefix_length
from redraft.edits.edit import Kind
from redraft.edits.inflection import Form, Shift, are_derived, readings, shifts
from redraft.edits.lexicon import (
    ARTICLES,
    AUXILIARIES,
    BE,
    COMMON_VERBS,
    CONJUNCTIONS,
    CONTRACTED,
    DEMONSTRATIVES,
    DETERMINERS,
    FEELINGS,
    GLOSSES,
    IRREGULAR_VERBS,
    MIDDLE_ADVERBS,
    MODALS,
    NEGATIONS,
    POSSESSIVES,
    PREPOSITIONS,
    PRONOUNS,
    SUBJECT_PRONOUNS,
)
from redraft.edits.subsequence import subsequence_ratio
from redraft.text.scripts import is_chinese
from redraft.text.span import Span
from redraft.text.words import word_set, words

_FUNCTION_WORDS = AUXILIARIES | DETERMINERS | PRONOUNS | PREPOSITIONS | CONJUNCTIONS

# Neighbours further away than this do not tell anything about a change.
_CONTEXT = 80
_LOOKS_MISSPELT = 0.65


@dataclass(frozen=True, slots=True)
class _Setting:
    """The words of a change that differ, in lower case, and the target words next to them."""

    source: list[str]
    target: list[str]
    before: list[str]
    after: list[str]

    @property
    def previous(self) -> str:
        return self.before[-1] if self.before else ""

    @property
    def following(self) -> str:
        return self.after[0] if self.after else ""


def classify(source: str, target: str, change: Change, language: str = "en") -> Kind:
    """The kind of the edit that makes `change` on the way from `source` to `target`."""
    old, new = change.source.of(source), change.target.of(target)
    if is_chinese(language):
        return chinese.classify(old, new)
    return _classify_shape(old, new) or _classify_words(_setting(target, change.target, _fold(old), _fold(new)))


def _classify_shape(old: str, new: str) -> Kind | None:
    """What is plain without reading: spacing, casing and punctuation, in any language."""
    tight_old, tight_new = "".join(old.split()), "".join(new.split())
    if tight_old == tight_new:
        return Kind.SPACING
    if tight_old.casefold() == tight_new.casefold():
        return Kind.CASING if len(old.split()) == len(new.split()) else Kind.SPACING
    if _letters(old) != _letters(new):
        return None
    return (
        Kind.OTHER if any(unicodedata.category(character) in _PICTURES for character in old + new) else Kind.PUNCTUATION
    )


_PICTURES = frozenset({"So", "Cn", "Co", "Cs"})


def _letters(text: str) -> str:
    """Letters, digits and the marks on them: an accent is no punctuation."""
    return "".join(character for character in text.casefold() if unicodedata.category(character)[0] in "LNM")


def _classify_words(setting: _Setting) -> Kind:
    if sorted(setting.source) == sorted(setting.target):
        return Kind.WORD_ORDER if setting.source else Kind.PUNCTUATION
    if not setting.source:
        return _classify_addition(setting, setting.target) or Kind.MISSING_WORD
    if not setting.target:
        repeats = setting.source[-1:] == setting.after[:1] or setting.source[:1] == setting.before[-1:]
        return (None if repeats else _classify_addition(setting, setting.source)) or Kind.REDUNDANCY
    if len(setting.source) == len(setting.target) == 1:
        return _classify_word(setting, setting.source[0], setting.target[0])
    return _classify_phrase(setting)


_ENDINGS = ("n't", "'s", "'re", "'ve", "'ll", "'d", "'m")


def _fold(text: str) -> list[str]:
    """The words in lower case without punctuation marks, contractions in their two parts."""
    folded: list[str] = []
    for span in words(text):
        word = span.of(text).lower().replace("’", "'")
        ending = next((ending for ending in _ENDINGS if word.endswith(ending) and len(word) > len(ending)), "")
        if ending:
            folded += (word[: -len(ending)], ending)
        elif any(character.isalnum() for character in word):
            folded.append(word)
    return folded


def _setting(target: str, span: Span, old: list[str], new: list[str]) -> _Setting:
    """Leaves out the words that both sides begin or end with; they become neighbours."""
    before = _fold(target[max(0, span.start - _CONTEXT) : span.start])
    after = _fold(target[span.end : span.end + _CONTEXT])
    head = common_prefix_length(old, new)
    before, old, new = before + new[:head], old[head:], new[head:]
    tail = common_prefix_length(old[::-1], new[::-1])
    after, old, new = new[len(new) - tail :] + after, old[: len(old) - tail], new[: len(new) - tail]
    return _Setting(old, new, before, after)


# Words that stand where an article could: the rest of the determiners are chosen for their meaning.
_ARTICLE_LIKE = ARTICLES | DEMONSTRATIVES | word_set("some any every each no all both either neither")


_ADDED_CLASSES = (
    (Kind.ARTICLE, _ARTICLE_LIKE),
    (Kind.PREPOSITION, PREPOSITIONS),
    (Kind.PRONOUN, POSSESSIVES | PRONOUNS),
)


def _classify_addition(setting: _Setting, added: list[str]) -> Kind | None:
    """Of words that only one side has, if they are function words."""
    if _builds_verb(setting, added):
        return Kind.VERB_FORM
    if added == ["'s"] and setting.previous not in PRONOUNS:
        return Kind.WORD_FORM
    # A lone "that" joins clauses more often than it points.
    classes = () if added == ["that"] else _ADDED_CLASSES
    return next((kind for kind, word_class in classes if all(word in word_class for word in added)), None)


def _builds_verb(setting: _Setting, added: list[str]) -> bool:
    """Whether an auxiliary or an infinitive's "to" came or went before a verb."""
    following = next((word for word in setting.after if word not in MIDDLE_ADVERBS and not word.endswith("ly")), "")
    forms = {reading.form for reading in readings(following)}
    if added == ["to"]:
        return following in COMMON_VERBS or following in {"be", "have", "do"}
    if not all(word in _VERB_BUILDERS for word in added):
        return False
    if any(word in MODALS for word in added) or added[0] in {"do", "does", "did"}:
        return True
    return bool(forms & {Form.PARTICIPLE, Form.GERUND}) and following not in DETERMINERS


def _classify_word(setting: _Setting, old: str, new: str) -> Kind:
    if new in CONTRACTED.get(old, ()) or old in CONTRACTED.get(new, ()):
        return Kind.WORD_FORM
    closed = _classify_closed(old, new)
    if closed:
        return closed
    confused = old in GLOSSES and new in GLOSSES
    found = shifts(old, new)
    if found and not confused:
        return _classify_shift(setting, found)
    if are_derived(old, new):
        return Kind.WORD_FORM
    if not confused and subsequence_ratio(old, new) >= _LOOKS_MISSPELT and old.isalpha() and not _is_known(old):
        return Kind.SPELLING
    return Kind.WORD_CHOICE


def _is_known(word: str) -> bool:
    """Whether it is surely an English word; that a word is none, no short list can tell."""
    if word in _FUNCTION_WORDS:
        return True
    return any(reading.base in COMMON_VERBS or reading.base in IRREGULAR_VERBS for reading in readings(word))


_AGREEING = [
    {"is", "are"},
    {"am", "is"},
    {"am", "are"},
    {"'s", "are"},
    {"'s", "'re"},
    {"was", "were"},
    {"has", "have"},
    {"does", "do"},
    {"this", "these"},
    {"that", "those"},
]
# Both words are of the first set, and at least one is of the second.
_SUBSTITUTED_CLASSES = (
    (Kind.VERB_FORM, AUXILIARIES, AUXILIARIES),
    (Kind.PRONOUN, POSSESSIVES | PRONOUNS, POSSESSIVES),
    (Kind.ARTICLE, _ARTICLE_LIKE, _ARTICLE_LIKE),
    (Kind.ARTICLE, DETERMINERS, ARTICLES),
    (Kind.PREPOSITION, PREPOSITIONS | {"because"}, PREPOSITIONS),
    (Kind.PRONOUN, PRONOUNS, PRONOUNS),
)


def _classify_closed(old: str, new: str) -> Kind | None:
    """Of a substitution among function words."""
    pair = {old, new}
    if pair in _AGREEING:
        return Kind.AGREEMENT
    return next((kind for kind, word_class, core in _SUBSTITUTED_CLASSES if pair <= word_class and pair & core), None)


_BEFORE_INFINITIVES = MODALS | NEGATIONS | {"to", "do", "does", "did"}
_VERB_FORMS = frozenset({Form.PAST, Form.PARTICIPLE, Form.GERUND})


def _classify_shift(setting: _Setting, found: tuple[Shift, ...]) -> Kind:
    pairs = [{shift.source, shift.target} for shift in found]
    if {Form.BASE, Form.S} in pairs:
        base = next(shift.base for shift in found if {shift.source, shift.target} == {Form.BASE, Form.S})
        if setting.previous in _BEFORE_INFINITIVES and setting.target == [base]:
            return Kind.VERB_FORM
        return Kind.AGREEMENT if _is_verb(setting, base) else Kind.NOUN_NUMBER
    if any(Form.PLURAL in pair for pair in pairs):
        return Kind.NOUN_NUMBER
    if {Form.PARTICIPLE, Form.GERUND} in pairs and any(shift.base in FEELINGS for shift in found):
        return Kind.WORD_FORM
    if any(pair & _VERB_FORMS for pair in pairs):
        return Kind.VERB_FORM
    return Kind.WORD_FORM


def _is_verb(setting: _Setting, base: str) -> bool:
    """Whether a word in -s, or the same without it, stands where a verb stands."""
    if setting.previous in SUBJECT_PRONOUNS | _BEFORE_INFINITIVES | {"which", "that"}:
        return True
    if setting.previous in DETERMINERS | PREPOSITIONS | BE or setting.previous.isdigit():
        return False
    if base in COMMON_VERBS:
        return True
    if setting.source[0] != base and setting.previous.endswith("s"):
        return True
    return setting.following in ARTICLES | POSSESSIVES


_VERB_BUILDERS = AUXILIARIES | NEGATIONS | {"to"}


def _classify_phrase(setting: _Setting) -> Kind:
    old, new = setting.source, setting.target
    old_open = [word for word in old if word not in _VERB_BUILDERS]
    new_open = [word for word in new if word not in _VERB_BUILDERS]
    if len(old_open) == len(new_open) <= 1 and (old_open == new_open or shifts(old_open[0], new_open[0])):
        return Kind.VERB_FORM
    if all(word in PREPOSITIONS for word in old + new):
        return Kind.PREPOSITION
    if old[0] in {"more", "most"} and len(old) == 2 and len(new) == 1 and shifts(old[1], new[0]):
        return Kind.WORD_FORM
    if "".join(old) in GLOSSES and "".join(new) in GLOSSES:
        return Kind.WORD_CHOICE
    if subsequence_ratio("".join(old), "".join(new)) >= 0.8:
        return Kind.SPELLING
    return Kind.WORD_CHOICE
