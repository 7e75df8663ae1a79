"""What a reader sees of a marked-up text, and the way back to the characters that stand in the file."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import accumulate

from redraft.text.span import Span


class Role(StrEnum):
    """What a block is to its reader, and so what may be asked of it."""

    PARAGRAPH = "paragraph"
    ITEM = "item"
    """A list item, a table cell, a comment: needs no capital at its start and no full stop at its end."""
    TITLE = "title"
    """A heading, the subject of a commit: capitals anywhere, no full stop."""


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of the source: prose, which is read as it stands, or markup, which reads as `shown`."""

    source: str
    shown: str | None = None
    """None for prose; for markup what a reader sees instead of it, mostly nothing."""

    @property
    def text(self) -> str:
        return self.source if self.shown is None else self.shown


@dataclass(frozen=True)
class Block:
    """A paragraph, a heading, a list item, a cell: no sentence runs across its ends."""

    parts: tuple[Part, ...]
    role: Role = Role.PARAGRAPH
    wrapped: bool = False
    """Is a line end inside it never more than a space?"""

    @cached_property
    def source(self) -> str:
        return "".join(part.source for part in self.parts)

    @cached_property
    def text(self) -> str:
        return "".join(part.text for part in self.parts)

    @cached_property
    def _text_starts(self) -> list[int]:
        return list(accumulate((len(part.text) for part in self.parts), initial=0))

    @cached_property
    def _source_starts(self) -> list[int]:
        return list(accumulate((len(part.source) for part in self.parts), initial=0))

    def restore(self, span: Span) -> Span | None:
        """A span of the text as the span of the source that holds the same characters; None if markup would change.

        An insertion next to markup lands outside of it: before what opens at the next word, behind what closes.
        """
        if not span:
            return self._place(span.start)
        first = bisect_right(self._text_starts, span.start) - 1
        part = self.parts[first]
        inside = span.start - self._text_starts[first]
        if part.shown is not None or inside + len(span) > len(part.source):
            return None
        start = self._source_starts[first] + inside
        return Span(start, start + len(span))

    def cover(self, span: Span) -> Span:
        """The stretch of the source that a span of the text was read from, markup inside it included."""
        first = bisect_right(self._text_starts, span.start) - 1
        if not span:
            placed, start = self._place(span.start), self._source_starts[first]
            return Span(start, start) if placed is None else placed
        last = bisect_right(self._text_starts, span.end - 1) - 1
        return Span(self._offset(first, span.start), self._offset(last, span.end))

    def is_markup(self, position: int) -> bool:
        """Was the character of the text at `position` read from markup?"""
        index = bisect_right(self._text_starts, position) - 1
        return index < len(self.parts) and self.parts[index].shown is not None

    def opens_at(self, position: int) -> bool:
        """Does the prose of the block begin at `position` of the text, or further on?"""
        before = zip(self.parts, self._text_starts, strict=False)
        prose = (part.source[: max(0, position - start)] for part, start in before if part.shown is None)
        return not any(character.isalpha() for text in prose for character in text)

    def _offset(self, index: int, position: int) -> int:
        """Where in the source a place of the text lies; in markup, its nearer end."""
        part, inside = self.parts[index], position - self._text_starts[index]
        if part.shown is not None:
            inside = 0 if inside == 0 else len(part.source)
        return self._source_starts[index] + inside

    def _place(self, position: int) -> Span | None:
        """The empty span of the source for an insertion at `position` of the text; None inside markup."""
        after = bisect_right(self._text_starts, position) - 1
        if position > self._text_starts[after]:
            if self.parts[after].shown is not None:
                return None
            at = self._source_starts[after] + position - self._text_starts[after]
            return Span(at, at)
        before = after
        while before > 0 and not self.parts[before - 1].text:
            before -= 1
        # At the start of a line the markup may be a block's own, such as <li>: text goes behind that.
        opens = position > 0 and self.text[position - 1] == " "
        at = self._source_starts[before if opens else after]
        return Span(at, at)


@dataclass(frozen=True, slots=True)
class Placed:
    """A block and where it begins in the source."""

    block: Block
    start: int


class Marked:
    """A text as it is written and as it is read."""

    def __init__(self, source: str, blocks: Iterable[Placed]) -> None:
        """`blocks` in order; what lies between them is markup or white space."""
        self.source = source
        self.blocks = tuple(blocks)

    @cached_property
    def _whole(self) -> Block:
        parts: list[Part] = []
        position = 0
        for index, placed in enumerate(self.blocks):
            gap = self.source[position : placed.start]
            parts += (Part(gap, _read_gap(gap, inner=index > 0)), *placed.block.parts)
            position = placed.start + len(placed.block.source)
        rest = self.source[position:]
        return Block((*parts, Part(rest, _read_gap(rest, inner=False))))

    @property
    def text(self) -> str:
        """As read: what is corrected. A blank line lies between blocks."""
        return self._whole.text

    def restore(self, span: Span) -> Span | None:
        """A span of the text as a span of the source; None when markup would be touched."""
        return self._whole.restore(span)

    def cover(self, span: Span) -> Span:
        """The stretch of the source that a span of the text was read from, markup inside it included."""
        return self._whole.cover(span)


def _read_gap(gap: str, inner: bool) -> str:
    """White space is read as it stands; any other markup between two blocks as a blank line."""
    if gap.isspace() and (gap.count("\n") > 1 or not inner):
        return gap
    return "\n\n" if inner else ""


def join(parts: Iterable[Part]) -> Marked:
    """A text of which a client says what is markup."""
    block = Block(tuple(parts))
    return Marked(block.source, [Placed(block, 0)])
