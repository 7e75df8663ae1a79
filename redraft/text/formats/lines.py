"""Lines of a source, without prefixes that are no part of the text, such as a comment sign or indentation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Line:
    start: int
    """Where the text of the line begins, behind the prefix."""
    end: int
    """Where the text ends, before the line break."""


def lines_of(source: str, start: int = 0, end: int | None = None) -> Iterator[Line]:
    """The lines of a part of the source, with no prefix cut off; only a line feed ends a line."""
    last = len(source) if end is None else end
    while start <= last:
        feed = source.find("\n", start, last)
        stop = last if feed < 0 else feed
        yield Line(start, stop)
        start = stop + 1
