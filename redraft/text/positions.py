"""Converts offsets. Redraft counts code points; clients and editors may count UTF-8 bytes or UTF-16 units."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate

from redraft.text.span import Span

_LINE_END = re.compile("\r\n|\n|\r")


class Unit(StrEnum):
    """What an offset counts."""

    UTF_8 = "utf-8"
    UTF_16 = "utf-16"
    UTF_32 = "utf-32"
    CODE_POINTS = "code-points"
    """The same as UTF-32."""


_WIDE = {Unit.UTF_8: re.compile("[^\x00-\x7f]"), Unit.UTF_16: re.compile("[\U00010000-\U0010ffff]")}
"""Characters that take more than one unit. UTF-32 has none."""


@dataclass(frozen=True, slots=True)
class Place:
    """A line and a column, both counted from 0."""

    line: int
    column: int


class Positions:
    """Offsets in one text, in code points and in another unit. Each conversion takes logarithmic time.

    A lone surrogate counts as one unit of UTF-16 and three bytes of UTF-8, as lenient encoders write it.
    """

    def __init__(self, text: str, unit: Unit) -> None:
        self._length = len(text)
        wide = _WIDE.get(unit)
        self._wide = [] if wide is None or text.isascii() else [match.start() for match in wide.finditer(text)]
        """Offsets of the characters that take more than one unit."""
        extra = _extra_bytes if unit is Unit.UTF_8 else _extra_pair
        self._extra = [0, *accumulate(extra(text[place]) for place in self._wide)]
        """Surplus units (beyond one a character) before each wide character and after the last."""
        self._wide_units = [place + extra for place, extra in zip(self._wide, self._extra, strict=False)]

    def to_units(self, offset: int) -> int:
        return offset + self._extra[bisect_left(self._wide, offset)]

    def to_code_points(self, units: int) -> int:
        """An offset inside a character becomes its start; an offset outside the text, the nearer end of the text."""
        passed = bisect_left(self._wide_units, units)
        if passed and units < self._wide_units[passed - 1] + 1 + self._extra[passed] - self._extra[passed - 1]:
            return self._wide[passed - 1]
        return min(max(units - self._extra[passed], 0), self._length)

    def span_to_units(self, span: Span) -> Span:
        return Span(self.to_units(span.start), self.to_units(span.end))

    def span_to_code_points(self, span: Span) -> Span:
        return Span(self.to_code_points(span.start), self.to_code_points(span.end))


class Lines:
    """Lines of one text as the Language Server Protocol counts them: `\\n`, `\\r\\n` and `\\r` end a line."""

    def __init__(self, text: str, unit: Unit) -> None:
        self._text = text
        self._unit = unit
        ends = [match.span() for match in _LINE_END.finditer(text)]
        self._starts = [0, *(end for _, end in ends)]
        self._ends = [*(start for start, _ in ends), len(text)]
        """Where each line ends, without its line break."""
        self._positions: dict[int, Positions] = {}

    def place_of(self, offset: int) -> Place:
        """Line and column of an offset in code points; inside a line break, the end of the line."""
        line = bisect_right(self._starts, offset) - 1
        inside = min(offset, self._ends[line]) - self._starts[line]
        return Place(line, self._of(line).to_units(inside))

    def offset_of(self, place: Place) -> int:
        """The offset in code points. A column beyond the line means its end; a line beyond the last, the text's end."""
        if place.line >= len(self._starts):
            return len(self._text)
        if place.line < 0:
            return 0
        return self._starts[place.line] + self._of(place.line).to_code_points(place.column)

    def _of(self, line: int) -> Positions:
        if line not in self._positions:
            self._positions[line] = Positions(self._text[self._starts[line] : self._ends[line]], self._unit)
        return self._positions[line]


def _extra_bytes(character: str) -> int:
    code = ord(character)
    return 1 if code < 0x800 else 2 if code < 0x10000 else 3


def _extra_pair(character: str) -> int:
    return 1
