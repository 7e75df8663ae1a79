"""Sentences that are decoded again and again until they stay the same, and the queue from which threads take them."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Sequence
from threading import Condition

from redraft.check.interpreter import Solution, apply_suggestions
from redraft.check.reading import Reading
from redraft.text.span import Span

LARGEST_BATCH = 4
"""Size of a batch where many sentences wait, in times `batch_tokens`: fewer calls from Python for the same work."""
MOST_PASSES = 4
"""How often a sentence is decoded at most: once, and again as long as the pass before changed it."""


class Passes:
    """A sentence that is corrected, and corrected again, until it stays the same.

    One correction may make another one sure, or possible at all. Without more passes the user would get it only when
    the corrected text is checked again.
    """

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.text = reading.seen
        """The text that the next pass corrects."""
        self.ids: Sequence[int] = ()
        """Its tokens."""
        self.unknown: Sequence[Span] = ()
        """Its words that no text has."""
        self.misspelt: Sequence[int] = ()
        """Places of the tokens of those of them that are in small letters."""
        self.solutions: list[Solution] = []
        self.result: Solution | None = None
        """All passes as one solution, once they are finished."""
        self._seen = {self.text}
        self.may_change = True

    @property
    def size(self) -> int:
        """Tokens of the next pass, with <eos>."""
        return len(self.ids) + 1

    def add(self, solution: Solution) -> None:
        """The solution of a pass over `text`."""
        self.solutions.append(solution)
        self.text = apply_suggestions(self.text, solution.suggestions)
        # A text that was there before ends the passes too: corrections that undo each other would never end.
        self.may_change = self.text not in self._seen and len(self.solutions) < MOST_PASSES
        self._seen.add(self.text)


class PassQueue:
    """Sentences that wait for their next pass, for several threads. Long ones are taken first.

    A batch has sentences of similar length and no padding. Batches are smaller where fewer sentences wait, so that all
    threads have one.
    """

    def __init__(self, waiting: Iterable[Passes], batch_tokens: int, threads: int) -> None:
        self._waiting = sorted(waiting, key=_size)
        self._tokens = sum(map(_size, self._waiting))
        self._unfinished = len(self._waiting)
        self._batch_tokens = batch_tokens
        self._threads = threads
        self._changed = Condition()
        self._stopped = False

    def take(self) -> list[Passes]:
        """The next batch, once there is one; nothing when all sentences are finished, or the queue was stopped."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or not self._unfinished or self._stopped)
            if self._stopped:
                return []
            share = -(-self._tokens // self._threads)
            most = min(LARGEST_BATCH * self._batch_tokens, max(min(self._batch_tokens, share), share // 4))
            batch: list[Passes] = []
            tokens = 0
            while self._waiting and (not batch or tokens + self._waiting[-1].size <= most):
                batch.append(self._waiting.pop())
                tokens += batch[-1].size
            self._tokens -= tokens
            return batch

    def put_back(self, changed: Sequence[Passes], finished: int) -> None:
        """After a batch: sentences that need another pass, and the number of the others."""
        with self._changed:
            for passes in changed:
                insort(self._waiting, passes, key=_size)
                self._tokens += passes.size
            self._unfinished -= finished
            self._changed.notify_all()

    def stop(self) -> None:
        """Ends the work: nothing more can be taken."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()


def _size(passes: Passes) -> int:
    return passes.size
