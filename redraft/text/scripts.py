"""Scripts: which letters a language is written in, and which of several languages a sentence is in.

Languages that share a script cannot be distinguished here; with models for two of them, the user has to name one.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from redraft.text.language_tags import parse_tag
from redraft.text.patterns import HAN_AND_KANA
from redraft.text.span import Span

AUTO = "auto"
"""In place of a language or a model: the language of each sentence is detected by its script."""
LATIN = frozenset({"LATIN", "FULLWIDTH"})
_SCRIPTS = {
    "latn": LATIN,
    "cyrl": frozenset({"CYRILLIC"}),
    "grek": frozenset({"GREEK"}),
    "arab": frozenset({"ARABIC"}),
    "hebr": frozenset({"HEBREW"}),
    "armn": frozenset({"ARMENIAN"}),
    "geor": frozenset({"GEORGIAN"}),
    "deva": frozenset({"DEVANAGARI"}),
    "beng": frozenset({"BENGALI"}),
    "taml": frozenset({"TAMIL"}),
    "telu": frozenset({"TELUGU"}),
    "thai": frozenset({"THAI"}),
    "hani": frozenset({"CJK", "IDEOGRAPHIC"}),
    "jpan": frozenset({"CJK", "IDEOGRAPHIC", "HIRAGANA", "KATAKANA", "HALFWIDTH"}),
    "kore": frozenset({"HANGUL", "HALFWIDTH"}),
}
_SCRIPTS |= {"hans": _SCRIPTS["hani"], "hant": _SCRIPTS["hani"]}
"""For each script code of a language tag, the first words of the Unicode names of its letters."""
_KNOWN = frozenset[str]().union(*_SCRIPTS.values())
_LANGUAGES = {
    "cyrl": "be bg kk ky mk mn ru sr tg uk",
    "grek": "el",
    "arab": "ar fa ps ur",
    "hebr": "he yi",
    "armn": "hy",
    "geor": "ka",
    "deva": "hi mr ne sa",
    "beng": "bn as",
    "taml": "ta",
    "telu": "te",
    "thai": "th",
    "hani": "zh yue wuu",
    "jpan": "ja",
    "kore": "ko",
}
_SCRIPT_OF_LANGUAGE = {language: script for script, languages in _LANGUAGES.items() for language in languages.split()}
_WITHOUT_SPACES = frozenset({"hani", "hans", "hant", "jpan", "thai"})

_UNSPACED = re.compile(rf"[{HAN_AND_KANA}]")
_CHARACTERS_A_WORD = 1.5
"""The average length of a word in a language without spaces between words."""
# A unit is about a word: a run of letters, or a character where words have no spaces between them.
_UNIT = re.compile(rf"[{HAN_AND_KANA}]|[^\W\d_{HAN_AND_KANA}]+")
_ASCII_LETTER = re.compile("[A-Za-z]")
_WORD = re.compile(rf"[{HAN_AND_KANA}]+|[^\W\d_{HAN_AND_KANA}]+")
# Only Japanese is written in kana: a few of them distinguish it from Chinese.
_KANA = frozenset({"HIRAGANA", "KATAKANA", "HALFWIDTH"})
_KANA_WEIGHT = 3
_SCRIPT_NAMES = {"CJK": "Chinese", "IDEOGRAPHIC": "Chinese", "HANGUL": "Korean", **dict.fromkeys(_KANA, "Japanese")}
"""Names of scripts that differ from the first word of the Unicode names of their letters."""


@lru_cache(maxsize=1 << 6)
def scripts_of(language: str) -> frozenset[str]:
    """The scripts of a language tag: the one it names, as in `sr-Latn`, else the usual ones of the language."""
    return _SCRIPTS[_script_code(language)]


def has_spaces(language: str) -> bool:
    """Whether the language puts spaces between words."""
    return _script_code(language) not in _WITHOUT_SPACES


def is_unspaced(letter: str) -> bool:
    """Whether the letter is of a script without spaces between words."""
    return _UNSPACED.match(letter) is not None


def count_words(text: str) -> float:
    """The number of words; an estimate for scripts without spaces between words."""
    if text.isascii():
        return len(text.split())
    spaced, characters = _UNSPACED.subn(" ", text)
    words = [word for word in spaced.split() if any(map(str.isalnum, word))] if characters else spaced.split()
    return len(words) + characters / _CHARACTERS_A_WORD


@lru_cache(maxsize=1 << 6)
def is_chinese(language: str) -> bool:
    return _script_code(language) in {"hani", "hans", "hant"}


@lru_cache(maxsize=1 << 6)
def is_simplified(language: str) -> bool:
    """Whether the language is Chinese in simplified characters, as it is unless its tag names others."""
    tag = parse_tag(language)
    return is_chinese(language) and tag.script != "hant" and tag.country not in {"tw", "hk", "mo"}


def can_read(language: str, sentence: str) -> bool:
    """Whether a model of the language can correct the sentence: it has words, at least half of them in its script."""
    scripts = scripts_of(language)
    if sentence.isascii():
        return scripts is LATIN and _ASCII_LETTER.search(sentence) is not None
    counts = _count(sentence)
    own, total = sum(counts[script] for script in scripts), counts.total()
    return total > 0 and 2 * own >= total


def detect_language(text: str, languages: Iterable[str]) -> str | None:
    """The language whose script most of the text is in, the first of those that share it; None if there is none."""
    counts = _count(text)
    scores = {language: sum(counts[script] for script in scripts_of(language)) for language in languages}
    best = max(scores, key=lambda language: scores[language], default=None)
    return best if best is not None and scores[best] else None


def script_name(text: str) -> str | None:
    """The name of the script that most of a text is in, such as “Cyrillic”; None if it has no letters."""
    counts: Counter[str] = Counter()
    for script, count in _count(text).items():
        counts["Latin" if script in LATIN else _SCRIPT_NAMES.get(script, script.capitalize())] += count
    return max(counts, key=lambda name: counts[name], default=None)


def foreign_words(text: str, language: str) -> list[Span]:
    """Words in other scripts than the language's: names, terms and quotations."""
    own = scripts_of(language)
    if text.isascii() and own is LATIN:
        return []
    others = _KNOWN - own
    return [
        Span(*word.span())
        for word in _WORD.finditer(text)
        if all(script_of(letter) in others for letter in word.group())
    ]


@lru_cache(maxsize=1 << 14)
def script_of(letter: str) -> str:
    """The first word of a letter's Unicode name: `LATIN`, `CYRILLIC`, `CJK`…"""
    return unicodedata.name(letter, "?").split(" ", 1)[0].split("-", 1)[0]


def _script_code(language: str) -> str:
    tag = parse_tag(language)
    return tag.script if tag.script in _SCRIPTS else _SCRIPT_OF_LANGUAGE.get(tag.language, "latn")


def _count(text: str) -> Counter[str]:
    counts = Counter(script_of(unit.group()[0]) for unit in _UNIT.finditer(text))
    for script in _KANA & counts.keys():
        counts[script] *= _KANA_WEIGHT
    return counts
