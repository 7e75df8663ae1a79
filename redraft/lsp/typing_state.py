"""Decides when findings in the sentence that is being typed are shown."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from redraft.text.span import Span

PAUSE_SECONDS = 1.0
"""Time after the last change in a finished sentence until its new findings are shown."""
_MAX_GAP = 80
"""White space between a sentence and the caret beyond which the sentence counts as left."""
_ENDED = re.compile(r"[.!?…。！？；｡][\"'”’)\]»」』）】》〉*_`]*\s*\Z")


@dataclass(frozen=True, slots=True)
class TypingState:
    """Where the last change ended, and when. It stands in for the caret, which the protocol does not report."""

    offset: int
    time: float
    """Seconds of a monotonic clock."""

    def show_after(self, sentence: Span, text: str) -> float:
        """Time from which new findings in the sentence are shown; infinity while it is unfinished and being typed."""
        if self.offset < sentence.start or self.offset > sentence.end + _MAX_GAP:
            return -math.inf
        if self.offset < sentence.end:
            return self.time + PAUSE_SECONDS
        ended = _ENDED.search(sentence.of(text)) is not None
        if self.offset == sentence.end and ended:
            return self.time + PAUSE_SECONDS
        gap = text[sentence.end : self.offset]
        return math.inf if not ended and not gap.strip(" \t") else -math.inf
