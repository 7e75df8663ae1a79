"""The number of cores that this process may use."""

from __future__ import annotations

import math
import os
from pathlib import Path

_SIBLINGS = "/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list"
_QUOTA = "/sys/fs/cgroup/cpu.max"
_MOST = 8
"""More would have nothing to do in one sentence."""


def usable_cores() -> int:
    """The cores that the process may run on, limited by a container's quota and by what one sentence can use.

    Two threads of one core share its arithmetic units, so they count once; where that is unknown, every thread counts.
    """
    processors = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1)
    return max(1, min(len({_core_of(processor) for processor in processors}), _quota(), _MOST))


def _core_of(processor: int) -> str:
    return _read(_SIBLINGS.format(processor)) or str(processor)


def _quota() -> int:
    """The container's CPU quota in cores, from `quota period` in microseconds; "max" is no limit."""
    quota, _, period = _read(_QUOTA).partition(" ")
    return math.ceil(int(quota) / int(period)) if quota.isdigit() and period.isdigit() else _MOST


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="ascii").strip()
    except OSError:
        return ""
