"""A cache of the entries that were used last."""

from __future__ import annotations

from collections import OrderedDict
from typing import Generic, TypeVar

from redraft.fork_lock import ForkLock

_K = TypeVar("_K")
_V = TypeVar("_V")


class RecentCache(Generic[_K, _V]):
    """At most `size` entries; the one that was not used for the longest time goes first. Several threads may use it."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._entries: OrderedDict[_K, _V] = OrderedDict()
        self._lock = ForkLock()

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, key: _K) -> bool:
        return key in self._entries

    def get(self, key: _K) -> _V | None:
        with self._lock:
            found = self._entries.get(key)
            if found is not None:
                self._entries.move_to_end(key)
            return found

    def put(self, key: _K, value: _V) -> None:
        with self._lock:
            self._entries[key] = value
            self._entries.move_to_end(key)
            while len(self._entries) > self._size:
                self._entries.popitem(last=False)
