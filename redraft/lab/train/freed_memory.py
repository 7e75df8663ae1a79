"""Keeps freed memory in the process, for training on a CPU."""

from __future__ import annotations

import ctypes
import sys

_TRIM_THRESHOLD = -1
_MMAP_THRESHOLD = -3
_LARGEST = (1 << 31) - 1


def keep_freed_memory() -> bool:
    """Makes malloc keep large blocks that are freed, where the C library is glibc. True if it does.

    Otherwise every large tensor of a step is new memory from the operating system, which fills it with zeros first:
    about a fifth of the time of a step.
    """
    if not sys.platform.startswith("linux"):
        return False
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is None:
        return False
    return all(mallopt(option, _LARGEST) == 1 for option in (_MMAP_THRESHOLD, _TRIM_THRESHOLD))
