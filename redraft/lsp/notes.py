"""Findings that move along while the text around them changes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from redraft.check.document import Finding
from redraft.edits.edit import Edit
from redraft.text.span import Span


@dataclass(frozen=True, slots=True)
class Change:
    """The text at `span` became `new`."""

    span: Span
    new: str

    @classmethod
    def between(cls, old: str, new: str) -> Change:
        """What makes the new text of the old one; found by halving, since comparing slices is quick."""
        shorter = min(len(old), len(new))
        before = _longest(shorter, lambda length: old[:length] == new[:length])
        after = _longest(shorter - before, lambda length: old[len(old) - length :] == new[len(new) - length :])
        return cls(Span(before, len(old) - after), new[before : len(new) - after])

    def __bool__(self) -> bool:
        return bool(self.new) or len(self.span) > 0

    @property
    def end(self) -> int:
        """Where the new text ends."""
        return self.span.start + len(self.new)

    @property
    def growth(self) -> int:
        return len(self.new) - len(self.span)

    def apply(self, text: str) -> str:
        return text[: self.span.start] + self.new + text[self.span.end :]

    def touches(self, span: Span) -> bool:
        return span.start <= self.span.end and self.span.start <= span.end

    def move(self, span: Span) -> Span:
        """A span of the text before as one of the text after, grown or shrunk with what changed inside."""
        start = span.start if span.start <= self.span.start else max(span.start + self.growth, self.end)
        end = span.end + self.growth if span.end >= self.span.end else min(span.end, self.span.start)
        return Span(start, max(start, end))


@dataclass(frozen=True, slots=True)
class Note:
    """A finding of an open document."""

    finding: Finding
    sentence: str
    """The sentence as the model read it: ignoring the finding once goes by that."""
    shown: bool = False
    """Does the editor show it already?"""

    @property
    def edit(self) -> Edit:
        return self.finding.edit

    @property
    def key(self) -> tuple[Span, str]:
        return self.edit.span, self.edit.replacement

    def move(self, change: Change) -> Note:
        if self.finding.sentence.end < change.span.start:
            return self
        edit = replace(self.edit, span=change.move(self.edit.span))
        sentence = change.move(self.finding.sentence)
        return replace(self, finding=replace(self.finding, edit=edit, sentence=sentence))

    def is_made_by(self, change: Change) -> bool:
        """Does the change do what the finding asks for? Editors leave out of a change what stays the same."""
        edit = self.edit
        if change.growth != len(edit.replacement) - len(edit.source) or not edit.span.contains(change.span):
            return False
        inside = Change(change.span.shift(-edit.span.start), change.new)
        return inside.apply(edit.source) == edit.replacement


def _longest(limit: int, fits: Callable[[int], bool]) -> int:
    """The greatest length up to `limit` that fits, where all shorter ones fit too."""
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return low
