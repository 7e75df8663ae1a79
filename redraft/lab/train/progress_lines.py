"""Progress lines: whole lines of text, for logs and for machines without the packages of the command line."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable

SECONDS_BETWEEN = 10.0
"""Seconds from one line of a count to the next."""


class ProgressLines:
    """Prints a line only if the last one was printed some seconds ago."""

    def __init__(self, write: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._write, self._clock = write, clock
        self._last = -math.inf

    def print(self, text: str, every: float) -> None:
        """Prints the text, unless the last line was printed less than `every` seconds ago."""
        now = self._clock()
        if now - self._last >= every:
            self._last = now
            self._write(text)


class CountProgress:
    """Counts what is done by being called, and says on standard error how far it is and how fast."""

    def __init__(self, unit: str, total: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._unit, self._total, self._done = unit, total, 0
        self._clock, self._started = clock, clock()
        self._lines = ProgressLines(print_line, clock)

    def __call__(self, count: int = 1) -> None:
        self._done += count
        speed = self._done / max(self._clock() - self._started, 1e-9)
        self._lines.print(f"{self._done:,} of {self._total:,} {self._unit}, {speed:,.0f} a second", SECONDS_BETWEEN)


def print_line(text: str) -> None:
    """A line on standard error, at once."""
    print(text, file=sys.stderr, flush=True)  # noqa: T201
