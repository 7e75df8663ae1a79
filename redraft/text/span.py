"""A span of text: start and end in code points, the end exclusive."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate


@dataclass(frozen=True, slots=True, order=True)
class Span:
    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end:
            raise ValueError(f"a span needs 0 <= start <= end, not {self.start}..{self.end}")

    def __len__(self) -> int:
        return self.end - self.start

    def of(self, text: str) -> str:
        """The characters of `text` that the span covers."""
        return text[self.start : self.end]

    def shift(self, by: int) -> Span:
        return Span(self.start + by, self.end + by)

    def overlaps(self, other: Span) -> bool:
        """Whether the spans share a character, or one is empty and strictly inside the other."""
        return self.start < other.end and other.start < self.end

    def touches(self, other: Span) -> bool:
        """Whether the spans overlap or adjoin."""
        return self.start <= other.end and other.start <= self.end

    def contains(self, other: Span) -> bool:
        return self.start <= other.start and other.end <= self.end


class SpanSet:
    """A set of spans with a fast test for overlap; they may overlap one another."""

    def __init__(self, spans: Iterable[Span]) -> None:
        ordered = sorted(spans)
        self._starts = [span.start for span in ordered]
        self._ends = list(accumulate((span.end for span in ordered), max))
        """The furthest end of the spans up to each index."""

    def overlap(self, span: Span) -> bool:
        """Whether any span of the set overlaps `span`."""
        before = bisect_left(self._starts, span.end)
        return before > 0 and self._ends[before - 1] > span.start
