"""A marked-up text: what a reader sees of it, and where each piece of that is in the source."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import accumulate

from redraft.text.scripts import count_words
from redraft.text.span import Span


class Role(StrEnum):
    """What a block is in its document; titles and items need not be whole sentences."""

    PARAGRAPH = "paragraph"
    ITEM = "item"
    """A list item, a comment, or a paragraph that goes on behind code: needs no capital at its start and no full stop
    at its end."""
    CELL = "cell"
    """A table cell: needs no verb either, unless it ends like a sentence."""
    TITLE = "title"
    """A heading or the subject of a commit: capitals anywhere, no full stop."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the source: prose, which is read unchanged, or markup, which is read as `shown`."""

    source: str
    shown: str | None = None
    """None for prose; for markup, what a reader sees in its place, often nothing."""

    @property
    def text(self) -> str:
        return self.source if self.shown is None else self.shown


@dataclass(frozen=True)
class Block:
    """A paragraph, heading, list item or table cell. No sentence goes on from one block to the next."""

    parts: tuple[Part, ...]
    role: Role = Role.PARAGRAPH
    wrapped: bool = False
    """True where a line end inside the block only wraps the line, and never ends a sentence."""

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
        """The span of the source for a span of the text; None if the span covers markup.

        An insertion next to markup is placed outside it: before opening markup, behind closing markup.
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
        """The span of the source that a span of the text was read from, including markup inside it."""
        first = bisect_right(self._text_starts, span.start) - 1
        if not span:
            placed, start = self._place(span.start), self._source_starts[first]
            return Span(start, start) if placed is None else placed
        last = bisect_right(self._text_starts, span.end - 1) - 1
        return Span(self._offset(first, span.start), self._offset(last, span.end))

    @cached_property
    def has_markup(self) -> bool:
        return any(part.shown is not None for part in self.parts)

    def is_markup(self, position: int) -> bool:
        """Whether the character of the text at `position` was read from markup."""
        index = bisect_right(self._text_starts, position) - 1
        return index < len(self.parts) and self.parts[index].shown is not None

    def opens_at(self, position: int) -> bool:
        """Whether no letter of the block's prose precedes `position` of the text."""
        return position <= self._first_letter

    @cached_property
    def _first_letter(self) -> int:
        """The offset in the text of the first letter of the block's prose; the length of the text if it has none."""
        prose = (
            (start + place, character)
            for part, start in zip(self.parts, self._text_starts, strict=False)
            if part.shown is None
            for place, character in enumerate(part.source)
        )
        return next((place for place, character in prose if character.isalpha()), len(self.text))

    def closes_at(self, position: int) -> bool:
        """Whether only white space follows `position` of the text."""
        return position >= self._last_end

    @cached_property
    def _last_end(self) -> int:
        return len(self.text.rstrip())

    @cached_property
    def word_count(self) -> float:
        """The number of words of the text; an estimate for scripts without spaces between words."""
        return count_words(self.text)

    def _offset(self, index: int, position: int) -> int:
        """The offset in the source of an offset in the text; inside markup, its nearer end."""
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
        # At the start of a line the markup may open the block, as <li> does: text goes behind it.
        opens = position > 0 and self.text[position - 1] == " "
        at = self._source_starts[before if opens else after]
        return Span(at, at)


@dataclass(frozen=True, slots=True)
class Placed:
    """A block and its offset in the source."""

    block: Block
    start: int


class Marked:
    """A text as it is written (`source`) and as it is read (`text`)."""

    def __init__(self, source: str, blocks: Iterable[Placed]) -> None:
        """`blocks` in order; between them is only markup and white space."""
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
        """The text as read, which is what is corrected, with a blank line between blocks."""
        return self._whole.text

    def restore(self, span: Span) -> Span | None:
        """The span of the source for a span of the text; None if the span covers markup."""
        return self._whole.restore(span)

    def cover(self, span: Span) -> Span:
        """The span of the source that a span of the text was read from, including markup inside it."""
        return self._whole.cover(span)


def _read_gap(gap: str, inner: bool) -> str:
    """White space stays; any other markup between two blocks is read as a blank line."""
    if gap.isspace() and (gap.count("\n") > 1 or not inner):
        return gap
    return "\n\n" if inner else ""


def join(parts: Iterable[Part]) -> Marked:
    """A text whose markup a client has annotated."""
    block = Block(tuple(parts))
    return Marked(block.source, [Placed(block, 0)])
