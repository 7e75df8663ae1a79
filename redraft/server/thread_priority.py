"""Priority of threads, where the system has one for each."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from threading import get_native_id

_NICENESS = 10
"""Added to the niceness of a thread in the background: others get about ten times as much of a busy core."""
_HIGHEST = 19


def lower_priority() -> None:
    """Makes the calling thread, and all threads that it starts, give way to others. Only on Linux."""
    if sys.platform != "linux":
        return
    thread = get_native_id()
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, thread, min(_HIGHEST, os.getpriority(os.PRIO_PROCESS, thread) + _NICENESS))
