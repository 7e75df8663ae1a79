"""The request that a run save and stop: SIGTERM, or the end of its time."""

from __future__ import annotations

import signal
import time
from types import FrameType, TracebackType


class StopRequest:
    """Within its `with` block, SIGTERM does not end the process."""

    def __init__(self, minutes: float | None = None) -> None:
        self._deadline = time.monotonic() + 60 * minutes if minutes else None
        self._signalled = False

    def __enter__(self) -> StopRequest:
        self._previous = signal.signal(signal.SIGTERM, self._note)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        signal.signal(signal.SIGTERM, self._previous)

    @property
    def is_due(self) -> bool:
        """True from the signal, or from the end of the time limit, on."""
        return self._signalled or (self._deadline is not None and time.monotonic() >= self._deadline)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._signalled = True
