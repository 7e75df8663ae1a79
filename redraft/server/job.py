"""The sentences that one request waits for."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from threading import Lock
from typing import Protocol

from redraft.check.interpreter import Solution
from redraft.check.requests import SentenceRequest
from redraft.check.stale import Stale


class Observer(Protocol):
    """Counts the work."""

    def decoded(self, sentences: int, known: int) -> None:
        """Called with the number of sentences of a batch, and how many of them came from the cache."""


class Job:
    """The sentences that one thread waits for. All methods but `wait` are called with the lock of a queue held."""

    def __init__(
        self,
        requests: Iterable[SentenceRequest],
        is_stale: Callable[[], bool],
        solved: dict[SentenceRequest, Solution],
    ) -> None:
        """`solved` has the sentences that are known already, beside the requests."""
        self.requests = deque(requests)
        """Sentences that were not taken yet."""
        self.is_done = False
        self._is_stale = is_stale
        self._solved = solved
        self._size = len(self.requests) + len(solved)
        self._error: Exception | None = None
        self._running = Lock()  # a future would need several objects more
        self._running.acquire()

    def is_waiting(self) -> bool:
        """Whether it has yet to be answered. It ends with `Stale` if its caller went away."""
        if not self.is_done and self._is_stale():
            self.fail(Stale())
        return not self.is_done

    def add(self, request: SentenceRequest, solution: Solution) -> None:
        self._solved[request] = solution
        if len(self._solved) == self._size:
            self._end()

    def fail(self, error: Exception) -> None:
        if not self.is_done:
            self._error = error
            self._end()

    def wait(self) -> dict[SentenceRequest, Solution]:
        """Waits until all sentences are solved, or raises the error that ended the job. Call it once."""
        self._running.acquire()
        if self._error is not None:
            raise self._error
        return self._solved

    def _end(self) -> None:
        if not self.is_done:
            self.is_done = True
            self._running.release()
