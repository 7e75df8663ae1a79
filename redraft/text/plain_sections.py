"""Cuts plain text that arrives in pieces into sections, so that a long text is never whole in memory."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from redraft.text.formats.plain import blocks
from redraft.text.sentences import split
from redraft.text.span import Span, SpanSet

_FENCE = "```"
_FENCED = re.compile(f"{_FENCE}.*?{_FENCE}", re.DOTALL)
_LOOK_AHEAD = 200
"""Characters behind a cut that must be known: the next word says whether a sentence has ended."""


def cut_plain(pieces: Iterable[str], least: int) -> Iterator[str]:
    """Sections of at most `least` characters where that is possible; together they are the text.

    A section ends where a paragraph does. A longer paragraph is cut between two of its sentences. Nothing is cut inside
    a sentence or a fenced code block: one that is longer than `least` is in memory as a whole.

    Where a section ends depends only on the text from its start on, not on the pieces that the text arrives in: cutting
    may be continued at the start of any section.
    """
    return _cut(pieces, least, _find_end)


def cut_lines(pieces: Iterable[str], least: int) -> Iterator[str]:
    """The same for text in which every line is a text of its own: nothing is cut inside a line."""
    return _cut(pieces, least, lambda text: text.rfind("\n") + 1)


def _cut(pieces: Iterable[str], least: int, find_end: Callable[[str], int]) -> Iterator[str]:
    waiting: list[str] = []
    size, enough = 0, least
    for piece in pieces:
        waiting.append(piece)
        size += len(piece)
        while size >= enough:
            text = "".join(waiting)
            end = find_end(text[:enough])
            if end:
                yield text[:end]
            waiting, size = [text[end:]], len(text) - end
            # Twice what could not be cut, so that no text is searched more often than a few times.
            enough = least if end else 2 * enough
    if size:
        yield "".join(waiting)


def _find_end(text: str) -> int:
    """The last offset at which the text can be cut whatever follows it; 0 if there is none."""
    start, end = 0, len(text)
    for placed in blocks(text):
        start = placed.start
        open_fence = _find_open_fence(placed.block.text)
        if open_fence is not None:
            # Where the fence is closed later, the block goes on until then.
            end = start + open_fence
            break
    return start if text[:start].strip() else _find_sentence(text, end)


def _find_open_fence(text: str) -> int | None:
    closed = 0
    for fenced in _FENCED.finditer(text):
        closed = fenced.end()
    found = text.find(_FENCE, closed)
    return None if found < 0 else found


def _find_sentence(text: str, end: int) -> int:
    """Where the last sentence before `end` that is known to be one begins."""
    fenced = SpanSet(Span(*found.span()) for found in _FENCED.finditer(text, 0, end))
    starts = [sentence.start for sentence in split(text[:end])]
    fitting = (
        start for start in reversed(starts) if start + _LOOK_AHEAD <= end and not fenced.overlap(Span(start, start + 1))
    )
    return next(fitting, 0)
