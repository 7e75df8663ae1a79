"""Times how a draft policy decodes a text."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from redraft.check.corrector import Corrector
    from redraft.decode.trace import Trace


@dataclass(frozen=True, slots=True)
class TimedTrace:
    policy: str
    trace: Trace
    milliseconds: float

    def to_mapping(self) -> dict[str, Any]:
        return {
            "policy": self.policy,
            "calls": self.trace.calls,
            "tokens": self.trace.tokens,
            "verified": self.trace.verified,
            "milliseconds": round(self.milliseconds, 2),
            "sentences": [sentence.to_mapping() for sentence in self.trace.sentences],
        }


def time_trace(corrector: Corrector, policy: str, text: str) -> TimedTrace:
    """Decodes a text twice, without a cache, and times the second run: in the first the engine allocates memory."""
    uncached = corrector.with_policy(policy)
    uncached.correct(text)
    start = time.perf_counter()
    trace = uncached.correct(text).trace
    return TimedTrace(policy, trace, (time.perf_counter() - start) * 1000)
