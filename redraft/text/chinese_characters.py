"""Simplified and traditional Chinese characters, converted with the optional `opencc` package.

`simplify`, `traditionalize` and `restore` convert character by character, so that every offset stays valid; models of
simplified Chinese read traditional text this way. `simplifier` converts whole words and may change the length.
`is_traditional` works without the package.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from redraft.errors import ConfigError

Convert = Callable[[str], str]
_TO_SIMPLIFIED, _TO_TRADITIONAL = "t2s", "s2t"
"""OpenCC's names for the two directions."""
_FIRST, _LAST = "\u3400", "\u9fff"
"""Characters outside this range are rare and stay as they are."""
_CHARACTER = re.compile(f"[{_FIRST}-{_LAST}]")
_AMBIGUOUS = frozenset("发干复系历钟只松谷斗须尽汇脏征采制余获团冲")
"""Simplified characters with several traditional forms, of which none is right without knowing the word."""
_OVERRIDES = {ord("着"): "著"}
"""OpenCC keeps 着, because simplified texts have 著 too, as in 著名."""


class _Tables(NamedTuple):
    to_simplified: dict[int, str]
    to_traditional: dict[int, str]
    """The most usual traditional form of each simplified character."""


def is_traditional(text: str) -> bool:
    """Whether more characters of the text are only traditional than only simplified."""
    return not text.isascii() and sum(map(_leaning, text)) > 0


def can_simplify() -> bool:
    """Whether `opencc` is installed."""
    return _tables() is not None


def simplify(text: str) -> str:
    """The text in simplified characters, of the same length; other scripts stay. Unchanged without `opencc`."""
    tables = _tables() if _CHARACTER.search(text) else None
    return text.translate(tables.to_simplified) if tables else text


def traditionalize(text: str) -> str:
    """The text in the most usual traditional characters, of the same length. Unchanged without `opencc`.

    Good enough for fixed phrases; for text of a user see `restore`.
    """
    tables = _tables()
    return text.translate(tables.to_traditional) if tables else text


def restore(text: str, source: str) -> str | None:
    """The simplified `text`, which replaces the traditional `source`, in traditional characters; None if ambiguous.

    A character that the source has is taken from there.
    """
    in_source = {simplify(character): character for character in source}
    restored = []
    for character in text:
        if character not in in_source and character in _AMBIGUOUS:
            return None
        restored.append(in_source.get(character) or traditionalize(character))
    return "".join(restored)


def simplifier() -> Convert:
    """A function that converts text to simplified Chinese word by word; raises `ConfigError` without `opencc`."""
    convert = _converter(_TO_SIMPLIFIED)
    if convert is None:
        raise ConfigError("converting to simplified characters needs OpenCC; install the extra 'zh' of redraft")
    return convert


def _converter(direction: str) -> Convert | None:
    """None without `opencc`."""
    try:
        from opencc import OpenCC
    except ImportError:
        return None
    convert: Convert = OpenCC(direction).convert
    return convert


@cache
def _leaning(character: str) -> int:
    """1 for a character of traditional Chinese only, -1 for one of simplified Chinese only, else 0.

    The two legacy encodings tell: Big5 has the traditional characters, GB 2312 the simplified ones.
    """
    return _is_in("big5", character) - _is_in("gb2312", character)


def _is_in(encoding: str, character: str) -> bool:
    try:
        return bool(character.encode(encoding))
    except UnicodeEncodeError:
        return False


@cache
def _tables() -> _Tables | None:
    to_simplified, to_traditional = _converter(_TO_SIMPLIFIED), _converter(_TO_TRADITIONAL)
    if to_simplified is None or to_traditional is None:
        return None
    characters = [chr(point) for point in range(ord(_FIRST), ord(_LAST) + 1)]
    # One character a line, so that OpenCC takes none for a part of a word.
    simplified, traditional = (
        convert("\n".join(characters)).split("\n") for convert in (to_simplified, to_traditional)
    )
    return _Tables(
        {ord(one): other for one, other in zip(characters, simplified, strict=True) if len(other) == 1},
        {ord(one): other for one, other in zip(characters, traditional, strict=True) if len(other) == 1} | _OVERRIDES,
    )
