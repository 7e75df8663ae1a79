"""Traditional Chinese characters one by one: as a model of simplified Chinese reads them, and back.

A character stays one character, so that every offset holds. Which one it becomes is for the `opencc` package to tell;
that a text is traditional can be seen without it.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from redraft.text.simplified import TO_SIMPLIFIED, TO_TRADITIONAL, converter

_FIRST, _LAST = "\u3400", "\u9fff"
"""Chinese characters outside of these are so rare that they stay as they are."""
_CHARACTER = re.compile(f"[{_FIRST}-{_LAST}]")
_UNSURE = frozenset("发干复系历钟只松谷斗须尽汇脏征采制余获团冲")
"""Of these none is so usual that it could be written without knowing the word."""
_BACK = {ord("着"): "著"}
"""Simplified texts have 著 too, as in 著名."""


class _Characters(NamedTuple):
    simplified: dict[int, str]
    """Of each traditional character."""
    usual: dict[int, str]
    """The traditional one of each simplified character."""


def is_traditional(text: str) -> bool:
    """Are more of its characters traditional alone than simplified alone?"""
    return not text.isascii() and sum(map(_leaning, text)) > 0


def can_simplify() -> bool:
    """Is the package there that knows the characters?"""
    return _characters() is not None


def simplify(text: str) -> str:
    """Character by character; what is simplified already stays, and so does every other script."""
    known = _characters() if _CHARACTER.search(text) else None
    return text.translate(known.simplified) if known else text


def restore(text: str, source: str) -> str | None:
    """Simplified text in place of the traditional `source`, in traditional characters; None if they are not sure.

    A character that stands in the source is taken from there.
    """
    written = {simplify(one): one for one in source}
    characters = []
    for one in text:
        if one not in written and one in _UNSURE:
            return None
        characters.append(written.get(one) or traditionalize(one))
    return "".join(characters)


def traditionalize(text: str) -> str:
    """Each character as the traditional one that it mostly is: good enough for short texts whose words are known."""
    known = _characters()
    return text.translate(known.usual) if known else text


@cache
def _leaning(character: str) -> int:
    """1 if only traditional texts have it, -1 if only simplified ones do: the old encodings of either tell."""
    return _is_in("big5", character) - _is_in("gb2312", character)


def _is_in(encoding: str, character: str) -> bool:
    try:
        return bool(character.encode(encoding))
    except UnicodeEncodeError:
        return False


@cache
def _characters() -> _Characters | None:
    to_simplified, to_traditional = converter(TO_SIMPLIFIED), converter(TO_TRADITIONAL)
    if to_simplified is None or to_traditional is None:
        return None
    alone = [chr(point) for point in range(ord(_FIRST), ord(_LAST) + 1)]
    # A line each, so that none is taken for a part of a word.
    simple, usual = (convert("\n".join(alone)).split("\n") for convert in (to_simplified, to_traditional))
    return _Characters(
        {ord(one): other for one, other in zip(alone, simple, strict=True) if len(other) == 1},
        {ord(one): other for one, other in zip(alone, usual, strict=True) if len(other) == 1} | _BACK,
    )
