"""Kind of an edit, from its words and their neighbours.

The word lists and rules are for English; those for Chinese are in `chinese.py`. In other languages an edit gets a kind
by its shape alone: letters, case, marks and spaces.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

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
    CONTRACTED,
    DEMONSTRATIVES,
    DETERMINERS,
    FEELINGS,
    FUNCTION_WORDS,
    GLOSSES,
    IRREGULAR_NOUNS,
    IRREGULAR_VERBS,
    MIDDLE_ADVERBS,
    MODALS,
    NEGATIONS,
    NOUNS_AND_VERBS,
    POSSESSIVES,
    PREPOSITIONS,
    PRONOUNS,
    QUANTIFIERS,
    SUBJECT_PRONOUNS,
    WORDS_BEFORE_E,
    WORDS_IN_S,
)
from redraft.edits.subsequence import subsequence_ratio
from redraft.text.scripts import is_chinese
from redraft.text.span import Span
from redraft.text.words import split_words, word_set

# Number of characters before and after a change that are searched for neighbouring words.
_CONTEXT = 80
_LOOKS_MISSPELT = 0.65
_LONGEST_SURPLUS = 3
"""Letters that are too many for a slip: a compound is a word of its own."""


def _no_word(_: str) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class _Setting:
    """The words of a change that differ, in lower case, and the target words next to them."""

    source: list[str]
    target: list[str]
    before: list[str]
    after: list[str]
    is_word: Callable[[str], bool]

    @property
    def previous(self) -> str:
        return self.before[-1] if self.before else ""

    @property
    def following(self) -> str:
        return self.after[0] if self.after else ""


def classify(
    source: str, target: str, change: Change, language: str = "en", is_word: Callable[[str], bool] = _no_word
) -> Kind:
    """Kind of one change between `source` and `target`.

    `is_word` tells whether a lower-case word is certainly correctly spelt. Words that it does not know are checked
    against short word lists only.
    """
    old, new = change.source.of(source), change.target.of(target)
    if is_chinese(language):
        return chinese.classify(old, new)
    return _classify_shape(old, new) or _classify_words(
        _setting(target, change.target, _fold(old), _fold(new), is_word)
    )


def _classify_shape(old: str, new: str) -> Kind | None:
    """Spacing, casing and punctuation, in any language; None for other kinds."""
    tight_old, tight_new = "".join(old.split()), "".join(new.split())
    if tight_old == tight_new:
        return Kind.SPACING
    if tight_old.casefold() == tight_new.casefold():
        return Kind.CASING if len(old.split()) == len(new.split()) else Kind.SPACING
    if _letters(old) != _letters(new):
        return None
    return (
        Kind.OTHER if any(unicodedata.category(character) in _SYMBOLS for character in old + new) else Kind.PUNCTUATION
    )


_SYMBOLS = frozenset({"So", "Cn", "Co", "Cs"})


def _letters(text: str) -> str:
    """Letters, digits and accents, casefolded."""
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
    return [part for word in split_words(text) for part in _fold_word(word)]


@lru_cache(maxsize=1 << 14)
def _fold_word(written: str) -> tuple[str, ...]:
    word = written.lower().replace("’", "'")
    ending = next((ending for ending in _ENDINGS if word.endswith(ending) and len(word) > len(ending)), "")
    if ending:
        return word[: -len(ending)], ending
    return (word,) if any(map(str.isalnum, word)) else ()


def _setting(target: str, span: Span, old: list[str], new: list[str], is_word: Callable[[str], bool]) -> _Setting:
    """The setting of a change; words that both sides begin or end with count as neighbours."""
    before = _fold(target[max(0, span.start - _CONTEXT) : span.start])
    after = _fold(target[span.end : span.end + _CONTEXT])
    head = common_prefix_length(old, new)
    before, old, new = before + new[:head], old[head:], new[head:]
    tail = common_prefix_length(old[::-1], new[::-1])
    after, old, new = new[len(new) - tail :] + after, old[: len(old) - tail], new[: len(new) - tail]
    return _Setting(old, new, before, after, is_word)


# Determiners that can replace an article; the others are chosen for their meaning.
_ARTICLE_LIKE = ARTICLES | DEMONSTRATIVES | word_set("some any every each no all both either neither")


_ADDED_CLASSES = (
    (Kind.ARTICLE, _ARTICLE_LIKE),
    (Kind.PREPOSITION, PREPOSITIONS),
    (Kind.PRONOUN, POSSESSIVES | PRONOUNS),
)


def _classify_addition(setting: _Setting, added: list[str]) -> Kind | None:
    """Kind of inserted or deleted function words; None for other words."""
    if _builds_verb(setting, added):
        return Kind.VERB_FORM
    if added == ["'s"] and setting.previous not in PRONOUNS:
        return Kind.WORD_FORM
    # "that" alone is more often a conjunction than a pronoun, and "there" is no pronoun to a learner.
    classes = () if added in (["that"], ["there"]) else _ADDED_CLASSES
    return next((kind for kind, word_class in classes if all(word in word_class for word in added)), None)


def _builds_verb(setting: _Setting, added: list[str]) -> bool:
    """Whether an auxiliary or the "to" of an infinitive was inserted or deleted before a verb."""
    following = next((word for word in setting.after if word not in MIDDLE_ADVERBS and not word.endswith("ly")), "")
    forms = {reading.form for reading in readings(following)}
    if added == ["to"]:
        return following in COMMON_VERBS or following in {"be", "have", "do"}
    if not all(word in _VERB_BUILDERS for word in added) or all(word in NEGATIONS for word in added):
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
    misspelt = not confused and _is_misspelling(setting, old, new)
    if are_derived(old, new) and not (misspelt and _is_slip(old, new)):
        return Kind.WORD_FORM
    return Kind.SPELLING if misspelt else Kind.WORD_CHOICE


def _is_misspelling(setting: _Setting, old: str, new: str) -> bool:
    """Whether `old` looks like `new` and is not known to be a word itself."""
    if not old.isalpha() or any(map(str.isdigit, new)) or _is_known(old):
        return False
    if new in old and len(old) - len(new) >= _LONGEST_SURPLUS:  # "standpoint" for "point"
        return False
    if setting.is_word(old) and (new != old + "e" or old in WORDS_BEFORE_E):
        return False
    return subsequence_ratio(old, new) >= _LOOKS_MISSPELT or (len(old) <= len(new) <= 3 and _is_slip(old, new))


def _is_slip(old: str, new: str) -> bool:
    """Whether at most one letter is added, missing, wrong or exchanged with its neighbour."""
    head = common_prefix_length(old, new)
    old, new = old[head:], new[head:]
    tail = common_prefix_length(old[::-1], new[::-1])
    old, new = old[: len(old) - tail], new[: len(new) - tail]
    return max(len(old), len(new)) <= 1 or (len(old) == 2 and old == new[::-1])


def _is_known(word: str) -> bool:
    """Whether the word lists have this word or its base form."""
    if word in FUNCTION_WORDS or word in NEGATIONS:
        return True
    bases = {reading.base for reading in readings(word)}
    return any(base in words for base in bases for words in (COMMON_VERBS, NOUNS_AND_VERBS, IRREGULAR_VERBS))


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


_PERSONAL_PRONOUNS = word_set("i you he she we they me him her us them") | POSSESSIVES


def _classify_closed(old: str, new: str) -> Kind | None:
    """Kind of a substitution of one function word by another; None for other words."""
    pair = {old, new}
    if pair in _AGREEING:
        return Kind.AGREEMENT
    if "that" in pair and pair & _PERSONAL_PRONOUNS:
        return None  # here "that" is a conjunction
    return next((kind for kind, word_class, core in _SUBSTITUTED_CLASSES if pair <= word_class and pair & core), None)


_BEFORE_INFINITIVES = MODALS | NEGATIONS | {"to", "do", "does", "did"}
_VERB_FORMS = frozenset({Form.PAST, Form.PARTICIPLE, Form.GERUND})


def _classify_shift(setting: _Setting, found: tuple[Shift, ...]) -> Kind:
    if _is_misspelt_form(setting, found):
        return Kind.SPELLING
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
    return Kind.VERB_FORM if any(pair & _VERB_FORMS for pair in pairs) else Kind.WORD_FORM


_IRREGULAR_FORMS = frozenset(form for forms in IRREGULAR_VERBS.values() for form in forms) | frozenset(
    IRREGULAR_NOUNS.values()
)


def _is_misspelt_form(setting: _Setting, found: tuple[Shift, ...]) -> bool:
    """Whether both words are the same form: "begining" and "beginning", "hobbys" and "hobbies"."""
    old, new = setting.source[0], setting.target[0]
    if new in WORDS_IN_S or new in PRONOUNS:  # "nowaday" and "nowadays", "everythings" and "everything"
        return not setting.is_word(old)
    same = {shift.source for shift in found} == {shift.target for shift in found}
    return same and new not in _IRREGULAR_FORMS


_INDEFINITE_PRONOUNS = word_set(
    "someone somebody something anyone anybody anything everyone everybody everything nobody nothing"
)
_SUBJECTS = SUBJECT_PRONOUNS | _INDEFINITE_PRONOUNS | {"which", "that"}
# Words that begin the object of a verb, and do not follow a noun.
_BEGIN_OBJECTS = ARTICLES | POSSESSIVES | word_set("me him us them it you that how what why")
_BEGIN_NOUNS = ARTICLES | POSSESSIVES | (QUANTIFIERS - {"all", "both", "which", "what", "each"})


_BETWEEN_SUBJECT_AND_VERB = MIDDLE_ADVERBS | {"both", "all", "each"}  # "we both work"
_BEFORE_NOUNS = DETERMINERS | PREPOSITIONS | BE


def _is_verb(setting: _Setting, base: str) -> bool:
    """Whether a word in -s, or the same word without -s, is a verb in this context."""
    may_be_verb = base in COMMON_VERBS or base in NOUNS_AND_VERBS or base.endswith(("ize", "ise", "ify", "ate"))
    if setting.previous in {"you", "it"}:  # these may be objects: "give you gifts"
        return may_be_verb
    before = (word for word in reversed(setting.before) if word not in _BETWEEN_SUBJECT_AND_VERB)
    subject = next((word for word in before if not word.endswith("ly")), "")
    if subject in _SUBJECTS or setting.previous in _BEFORE_INFINITIVES or setting.before[-2:] == ["no", "one"]:
        return True
    if may_be_verb and setting.following in _BEGIN_OBJECTS and setting.previous not in _BEGIN_NOUNS:
        return True
    if setting.previous in _BEFORE_NOUNS or setting.previous.isdigit():
        return False
    if setting.following in ARTICLES and setting.source == [base]:  # a verb and its object: "X denotes the set"
        return True
    return base in COMMON_VERBS or (may_be_verb and setting.source[0] != base and setting.previous.endswith("s"))


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
    real = len(old) == 1 and (_is_known(old[0]) or setting.is_word(old[0]))
    real = real or any(word in FUNCTION_WORDS for word in old[:1] if word not in new)
    if not real and subsequence_ratio("".join(old), "".join(new)) >= 0.8:
        return Kind.SPELLING
    return Kind.WORD_CHOICE
