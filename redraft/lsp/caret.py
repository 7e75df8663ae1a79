"""Where the writer is at work: a sentence that is still being typed is left in peace."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from redraft.text.span import Span

QUIET_SECONDS = 1.0
"""How long after the last change in it a sentence with an end is left in peace."""
_WIDEST_GAP = 80
"""More white space than that nobody types between a sentence and its end."""
_ENDED = re.compile(r"[.!?…。！？；｡][\"'”’)\]»」』）】》〉*_`]*\s*\Z")


@dataclass(frozen=True, slots=True)
class Caret:
    """Where the last change ended, and when, on a clock in seconds."""

    offset: int
    time: float

    def quiet_until(self, sentence: Span, text: str) -> float:
        """When to speak about a sentence; infinity where the caret has to leave it first.

        The protocol does not tell where the caret is, so the last change stands for it.
        """
        if self.offset < sentence.start or self.offset > sentence.end + _WIDEST_GAP:
            return -math.inf
        if self.offset < sentence.end:
            return self.time + QUIET_SECONDS
        ended = _ENDED.search(sentence.of(text)) is not None
        if self.offset == sentence.end and ended:
            return self.time + QUIET_SECONDS
        gap = text[sentence.end : self.offset]
        return math.inf if not ended and not gap.strip(" \t") else -math.inf
