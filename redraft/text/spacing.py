"""White space folded to single spaces, with the way back to the original."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from redraft.text.span import Span

_RUN = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Spaced:
    """Text with single spaces; `starts[i]` is where its character i begins in the original, its last item the end."""

    text: str
    starts: Sequence[int]

    def restore(self, span: Span) -> Span:
        """The span of the original text that a span of the folded text stands for."""
        return Span(self.starts[span.start], self.starts[span.end])


def normalize(text: str) -> Spaced:
    """Each run of white space as one space, none at the ends."""
    end = len(text.rstrip())
    start = end - len(text[:end].lstrip())
    kept: list[str] = []
    starts: list[range] = []
    for run in _RUN.finditer(text, start, end):
        kept.append(text[start : run.start()])
        starts.append(range(start, run.start() + 1))
        start = run.end()
    kept.append(text[start:end])
    starts.append(range(start, end + 1))
    return Spaced(" ".join(kept), starts[0] if len(starts) == 1 else list(chain.from_iterable(starts)))
