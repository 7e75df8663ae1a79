"""How alike two characters are: by sound, by being known as confused, by meaning. Chinese alignments ask for it.

The costs are those of ChERRANT (Zhang et al., 2022). Sounds come from the `pypinyin` package; confusion sets and a
thesaurus are files of the user's, and without them no pair is known as confused and every meaning as unknown.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from redraft.edits.m2 import read_lines
from redraft.errors import ConfigError, InputError

Sounds = Callable[[str], frozenset[str]]

UNKNOWN_MEANING = 4 / 6.0
PUNCTUATION = frozenset(
    string.punctuation
    + "！？｡＂＃＄％＆＇（）＊＋，－／：；＜＝＞＠［＼］＾＿｀｛｜｝～｟｠｢｣､、〃》「」『』【】〔〕〖〗〘〙〚〛〜〝〞〟"
    "〰〾〿–—‘'‛“”„‟…‧﹏"
)


def no_sounds(character: str) -> frozenset[str]:
    return frozenset()


@dataclass(frozen=True)
class Resemblance:
    sounds: Sounds = no_sounds
    confused: Mapping[str, frozenset[str]] = field(default_factory=dict)
    meanings: Mapping[str, tuple[str, str, str]] = field(default_factory=dict)  # classes, from wide to narrow
    _known: dict[tuple[str, str], float] = field(default_factory=dict, init=False, repr=False, compare=False)

    def cost(self, old: str, new: str) -> float:
        """What it costs to put `new` in the place of `old`; a deletion and an insertion cost 1 each."""
        known = self._known.get((old, new))
        if known is None:
            # The order of the sum decides which costs are equal to the last bit, and so which alignments are.
            known = self._known[old, new] = self._meaning(old, new) + self._writing(old, new) + _role(old, new)
        return known

    def _meaning(self, old: str, new: str) -> float:
        first, second = self.meanings.get(old), self.meanings.get(new)
        if first is None or second is None:
            return UNKNOWN_MEANING
        shared = sum(one == other for one, other in zip(first, second, strict=True))
        return 2 * (3 - shared) / 6.0

    def _writing(self, old: str, new: str) -> float:
        if not (_is_han(old) and _is_han(new)):
            return 0.5
        confused = new in self.confused.get(old, ()) or old in self.confused.get(new, ())
        return 0.0 if confused or self.sounds(old) & self.sounds(new) else 0.5


def pinyin() -> Sounds:
    """Every reading of a character without its tone."""
    try:
        from pypinyin import Style
        from pypinyin import pinyin as read_aloud
    except ImportError as error:
        raise ConfigError(
            "the sounds of characters need pypinyin: install it with pip install 'redraft[zh]', or score --no-sounds"
        ) from error

    @cache
    def sounds(character: str) -> frozenset[str]:
        return frozenset(read_aloud(character, style=Style.NORMAL, heteronym=True)[0])

    return sounds


def read_confused(paths: Iterable[Path], simplify: Callable[[str], str] = str) -> dict[str, frozenset[str]]:
    """Confusion sets: on every line a character and those it is confused with, however they are set apart."""
    confused: dict[str, set[str]] = {}
    for path in paths:
        for line in read_lines(path):
            if line[:1] in ("", "#"):
                continue
            characters = simplify(line)
            confused.setdefault(characters[0], set()).update(filter(_is_han, characters[1:]))
    return {character: frozenset(others) for character, others in confused.items()}


def read_meanings(path: Path) -> dict[str, tuple[str, str, str]]:
    """A thesaurus in the form of Cilin: a code such as `Aa01A01=` and its words on every line."""
    meanings: dict[str, tuple[str, str, str]] = {}
    for number, line in enumerate(read_lines(path), start=1):
        code, *words = line.split() or [""]
        if len(code) < 4 or not words:
            raise InputError(f"{path}:{number}: not a code and its words, as in `Aa01A01= 人 士`")
        for word in words:
            if len(word) == 1:
                meanings[word] = (code[0], code[1], code[2:4])
    return meanings


def _role(old: str, new: str) -> float:
    if (old in PUNCTUATION) != (new in PUNCTUATION):
        return 0.499
    return 0.0 if old in PUNCTUATION else 0.25


def _is_han(token: str) -> bool:
    return all("\u4e00" <= character <= "\u9fff" for character in token)
