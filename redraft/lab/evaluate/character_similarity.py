"""Similarity of two Chinese characters by reading, confusion sets and meaning, for alignment.

The costs are those of ChERRANT (Zhang et al., 2022). Readings come from the `pypinyin` package. Confusion sets and a
thesaurus are files given by the user.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from redraft.edits.m2 import read_lines
from redraft.errors import ConfigError, InputError

Readings = Callable[[str], frozenset[str]]
"""Character → its readings in pinyin without tones."""

UNKNOWN_MEANING = 4 / 6.0
PUNCTUATION = frozenset(
    string.punctuation
    + "！？｡＂＃＄％＆＇（）＊＋，－／：；＜＝＞＠［＼］＾＿｀｛｜｝～｟｠｢｣､、〃》「」『』【】〔〕〖〗〘〙〚〛〜〝〞〟"
    "〰〾〿–—‘'‛“”„‟…‧﹏"
)


def no_readings(character: str) -> frozenset[str]:
    return frozenset()


@dataclass(frozen=True)
class CharacterSimilarity:
    """Substitution costs of characters."""

    readings: Readings = no_readings
    confusion_sets: Mapping[str, frozenset[str]] = field(default_factory=dict)
    thesaurus: Mapping[str, tuple[str, str, str]] = field(default_factory=dict)  # classes, from wide to narrow
    _known: dict[tuple[str, str], float] = field(default_factory=dict, init=False, repr=False, compare=False)

    def cost(self, old: str, new: str) -> float:
        """The cost of substituting `new` for `old`; a deletion and an insertion cost 1 each."""
        known = self._known.get((old, new))
        if known is None:
            # The order of the sum decides which costs are exactly equal, and so which alignments are.
            known = self._known[old, new] = self._meaning(old, new) + self._writing(old, new) + _role(old, new)
        return known

    def _meaning(self, old: str, new: str) -> float:
        first, second = self.thesaurus.get(old), self.thesaurus.get(new)
        if first is None or second is None:
            return UNKNOWN_MEANING
        shared = sum(one == other for one, other in zip(first, second, strict=True))
        return 2 * (3 - shared) / 6.0

    def _writing(self, old: str, new: str) -> float:
        if not (_is_han(old) and _is_han(new)):
            return 0.5
        confused = new in self.confusion_sets.get(old, ()) or old in self.confusion_sets.get(new, ())
        return 0.0 if confused or self.readings(old) & self.readings(new) else 0.5


def pinyin() -> Readings:
    """Readings by pypinyin."""
    try:
        from pypinyin import Style
        from pypinyin import pinyin as read_pinyin
    except ImportError as error:
        raise ConfigError("pypinyin is missing; install the extra 'zh' of redraft, or use --no-pinyin") from error

    @cache
    def readings(character: str) -> frozenset[str]:
        return frozenset(read_pinyin(character, style=Style.NORMAL, heteronym=True)[0])

    return readings


def read_confusion_sets(paths: Iterable[Path], simplify: Callable[[str], str] = str) -> dict[str, frozenset[str]]:
    """Confusion sets: on every line a character and those it is confused with, with any separators."""
    sets: dict[str, set[str]] = {}
    for path in paths:
        for line in read_lines(path):
            if line[:1] in ("", "#"):
                continue
            characters = simplify(line)
            sets.setdefault(characters[0], set()).update(filter(_is_han, characters[1:]))
    return {character: frozenset(others) for character, others in sets.items()}


def read_thesaurus(path: Path) -> dict[str, tuple[str, str, str]]:
    """Classes of characters from a thesaurus in the format of Cilin: lines of a code (`Aa01A01=`) and its words."""
    classes: dict[str, tuple[str, str, str]] = {}
    for number, line in enumerate(read_lines(path), start=1):
        code, *words = line.split() or [""]
        if len(code) < 4 or not words:
            raise InputError(f"{path}:{number}: expected a code and its words, as in `Aa01A01= 人 士`")
        for word in words:
            if len(word) == 1:
                classes[word] = (code[0], code[1], code[2:4])
    return classes


def _role(old: str, new: str) -> float:
    if (old in PUNCTUATION) != (new in PUNCTUATION):
        return 0.499
    return 0.0 if old in PUNCTUATION else 0.25


def _is_han(token: str) -> bool:
    return all("\u4e00" <= character <= "\u9fff" for character in token)
