"""Counts the work of a call: Python calls, and the characters given to functions that read the whole of a string.

A test that compares counts, not seconds, gives the same answer on every machine.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

_WITH_OFFSETS = frozenset({"find", "rfind", "index", "rindex", "count", "startswith", "endswith", "format"})
"""Methods of a string that read only a part of it."""
_PLACES = (int, re.Match, list)


class _Counter:
    def __init__(self) -> None:
        self.work = 0

    def __call__(self, frame: FrameType, event: str, called: Any) -> None:
        if event == "call":
            self.work += 1 + _read_whole(frame)
        elif event == "c_call":
            self.work += 1
            owner, name = getattr(called, "__self__", None), getattr(called, "__name__", "")
            if isinstance(owner, str) and name not in _WITH_OFFSETS:
                self.work += len(owner)


def _read_whole(frame: FrameType) -> int:
    """The characters of a function's strings, unless other arguments say which part of them is read."""
    code = frame.f_code
    if code.co_flags & inspect.CO_GENERATOR or code.co_name == "__init__":  # called for every item; only stores them
        return 0
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    arguments = [frame.f_locals.get(name) for name in names]
    if any(isinstance(one, _PLACES) or hasattr(one, "start") or hasattr(one, "span") for one in arguments):
        return 0
    return sum(len(one) for one in arguments if isinstance(one, str))


def count_work(job: Callable[[], object]) -> int:
    """The work of calling `job`, tokenizers included."""
    counter = _Counter()
    sys.setprofile(counter)
    try:
        job()
    finally:
        sys.setprofile(None)
    return counter.work
