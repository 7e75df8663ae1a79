"""Settings of the C library's memory allocator, for a process that runs for weeks."""

from __future__ import annotations

import ctypes
from contextlib import suppress

_M_MMAP_THRESHOLD, _M_ARENA_MAX = -3, -8
"""Parameters of glibc's `mallopt`, from its malloc.h."""
_LARGE = 1 << 17
_ARENAS = 2


def return_free_memory() -> None:
    """Makes glibc give memory back to the system when it is free; elsewhere without effect.

    By default each thread fills an arena of its own, and once a large block was freed, blocks of that size are cut from
    arenas too, which shrink only at their end. Call it before threads start.
    """
    with suppress(OSError, AttributeError, TypeError):
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(_M_ARENA_MAX, _ARENAS)
        mallopt(_M_MMAP_THRESHOLD, _LARGE)
