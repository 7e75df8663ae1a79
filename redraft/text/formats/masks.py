"""Blocks of a source in which markup is replaced by what a reader sees."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from operator import attrgetter

from redraft.text.marked import Block, Part, Placed, Role
from redraft.text.span import Span

STAND_IN = "X"
"""Read in place of code, formulas and pictures inside a sentence. Of 32 candidates, the English model made the fewest
wrong edits and the most right ones around this one."""
NUMBER = "1"
"""Read in place of a reference: "in Section 1"."""
CITATION = "[1]"
BREAK = "\n\n"
"""Ends a sentence."""


@dataclass(frozen=True, slots=True)
class Mask:
    """Source that is read as something else, mostly as nothing."""

    start: int
    end: int
    shown: str = ""


def cut_block(
    source: str, span: Span, masks: Iterable[Mask] = (), role: Role = Role.PARAGRAPH, wrapped: bool = False
) -> Placed | None:
    """A block without white space at its ends; None if there is nothing to read in it.

    Where masks overlap, the first counts, and of those that begin together the longest.
    """
    start, end = _strip(source, span)
    parts: list[Part] = []
    readable = False
    position = start
    for mask in sorted(sorted(masks, key=attrgetter("end"), reverse=True), key=attrgetter("start")):
        if mask.start < position or mask.end > end or mask.start == mask.end:
            continue
        if mask.start > position:
            parts.append(Part(source[position : mask.start]))
            readable = readable or _is_readable(parts[-1].source)
        parts.append(Part(source[mask.start : mask.end], mask.shown))
        position = mask.end
    if position < end:
        parts.append(Part(source[position:end]))
        readable = readable or _is_readable(parts[-1].source)
    return Placed(Block(tuple(parts), role, wrapped), start) if readable else None


def _strip(source: str, span: Span) -> tuple[int, int]:
    text = span.of(source)
    end = span.start + len(text.rstrip())
    return min(end, span.end - len(text.lstrip())), end


def _is_readable(text: str) -> bool:
    return any(character.isalpha() for character in text)
