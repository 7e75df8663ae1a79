"""A lock that a forked process can use, even if another thread held it at the moment of the fork."""

from __future__ import annotations

import os
from threading import Lock
from types import TracebackType
from weakref import WeakSet


class ForkLock:
    """A lock that is new, and so free, in a forked child: the thread that held it does not exist there.

    It protects only state that is valid at any moment, such as a cache that is changed by single operations.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        _LOCKS.add(self)

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()

    def renew(self) -> None:
        self._lock = Lock()


_LOCKS: WeakSet[ForkLock] = WeakSet()


def _renew_all() -> None:
    for lock in list(_LOCKS):
        lock.renew()


if hasattr(os, "register_at_fork"):  # not on Windows, which cannot fork
    os.register_at_fork(after_in_child=_renew_all)
