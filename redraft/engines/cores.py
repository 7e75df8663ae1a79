"""How many cores this process may use."""

from __future__ import annotations

import math
import os
from pathlib import Path

_SIBLINGS = "/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list"
_QUOTA = "/sys/fs/cgroup/cpu.max"
_MOST = 8
"""One sentence has no work for more."""


def usable_cores() -> int:
    """Those the process may run on, as far as a container's quota goes, and as far as a sentence keeps them busy.

    Two threads of one core share what multiplies, so they count once; where that cannot be told, all count.
    """
    processors = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1)
    return max(1, min(len({_core_of(processor) for processor in processors}), _quota(), _MOST))


def _core_of(processor: int) -> str:
    return _read(_SIBLINGS.format(processor)) or str(processor)


def _quota() -> int:
    """Processors' worth of time that a container grants, `quota period` in microseconds; "max" is no limit."""
    quota, _, period = _read(_QUOTA).partition(" ")
    return math.ceil(int(quota) / int(period)) if quota.isdigit() and period.isdigit() else _MOST


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="ascii").strip()
    except OSError:
        return ""
