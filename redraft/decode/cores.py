"""How many cores this process may use."""

from __future__ import annotations

import os
from pathlib import Path

_SIBLINGS = "/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list"


def physical_cores() -> int:
    """Two threads of one core share what multiplies, so they count once; where that cannot be told, all count."""
    usable = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1)
    return len({_core_of(processor) for processor in usable})


def _core_of(processor: int) -> str:
    try:
        return Path(_SIBLINGS.format(processor)).read_text(encoding="ascii").strip()
    except OSError:
        return str(processor)
