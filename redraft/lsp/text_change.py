"""A change of a text, and what it does to spans of that text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from redraft.text.span import Span


@dataclass(frozen=True, slots=True)
class TextChange:
    """Replaces the text at `span` by `new`."""

    span: Span
    new: str

    @classmethod
    def between(cls, old: str, new: str) -> TextChange:
        """The smallest change from one text to another, for editors that send the whole text.

        Binary search over slices: comparing them is much faster than comparing characters one by one.
        """
        shorter = min(len(old), len(new))
        before = _longest(shorter, lambda length: old[:length] == new[:length])
        after = _longest(shorter - before, lambda length: old[len(old) - length :] == new[len(new) - length :])
        return cls(Span(before, len(old) - after), new[before : len(new) - after])

    def __bool__(self) -> bool:
        return bool(self.new) or len(self.span) > 0

    @property
    def end(self) -> int:
        """End of the new text."""
        return self.span.start + len(self.new)

    @property
    def growth(self) -> int:
        return len(self.new) - len(self.span)

    def apply(self, text: str) -> str:
        return text[: self.span.start] + self.new + text[self.span.end :]

    def touches(self, span: Span) -> bool:
        return span.start <= self.span.end and self.span.start <= span.end

    def move(self, span: Span) -> Span:
        """The span in the changed text. A span that contains the change grows or shrinks with it."""
        start = span.start if span.start <= self.span.start else max(span.start + self.growth, self.end)
        end = span.end + self.growth if span.end >= self.span.end else min(span.end, self.span.start)
        return Span(start, max(start, end))


def _longest(limit: int, fits: Callable[[int], bool]) -> int:
    """The greatest length up to `limit` that fits, where all shorter ones fit too."""
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return low
