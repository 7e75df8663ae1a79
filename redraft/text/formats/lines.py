"""Lines of a source, each behind a prefix that does not belong to the text: a comment's leader, an indentation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Line:
    start: int
    """Where its text begins, behind the prefix."""
    end: int
    """Where it ends, before the line end."""


def lines_of(source: str, start: int = 0, end: int | None = None) -> Iterator[Line]:
    """The lines of a stretch of source, without prefixes; only a line feed ends a line."""
    last = len(source) if end is None else end
    while start <= last:
        feed = source.find("\n", start, last)
        stop = last if feed < 0 else feed
        yield Line(start, stop)
        start = stop + 1
