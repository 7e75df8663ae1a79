"""The sentences of short requests, in batches that begin whenever a worker of the engine is free."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from threading import Condition, Thread

from redraft.check.passes import LARGEST_BATCH, Passes
from redraft.check.requests import SentenceRequest
from redraft.check.solver import SentenceSolver
from redraft.check.stale import Stale
from redraft.server.job import Job, Observer

Task = Callable[[int | None], None]
"""Other work for the engine. It is called with the number of a worker, or with None for the whole engine."""


@dataclass(slots=True, eq=False)
class _Sentence:
    """A sentence that waits for its next pass, or is in one."""

    request: SentenceRequest
    passes: Passes
    jobs: list[Job]


class BatchQueue:
    """Decodes the sentences of many callers on an engine with workers, in a thread for each worker.

    A batch is one pass over the sentences that have waited longest. A sentence is answered after its last pass; one
    that needs another is taken first for the next batch. Few sentences are decoded on all threads of the engine at
    once, if no batch is running.
    """

    def __init__(self, solver: SentenceSolver, observer: Observer | None = None) -> None:
        self._batch_tokens = solver.options.batch_tokens
        self._observer = observer
        self._changed = Condition()
        self._waiting: deque[_Sentence] = deque()
        self._tokens = 0
        """Those of all sentences that wait."""
        self._sentences: dict[SentenceRequest, _Sentence] = {}
        """Those that wait or are being decoded: a caller that asks for one of them waits for the same result."""
        self._tasks: deque[Task] = deque()
        self._running = 0
        """Number of batches and tasks in progress."""
        self._is_whole = False
        """Whether one of them has the whole engine: then no other begins."""
        self._closed = False
        self._threads = [
            Thread(target=self._work, args=(worker,), name="redraft-engine", daemon=True)
            for worker in range(solver.workers)
        ]
        for thread in self._threads:
            thread.start()

    @property
    def length(self) -> int:
        """Sentences that wait for their next pass."""
        return len(self._waiting)

    def add(self, job: Job) -> None:
        """Decodes the sentences of a job. Raises `Stale` if the queue is closed."""
        prepared = [_Sentence(one, one.solver.prepare(one.sentence), []) for one in job.requests]
        with self._changed:
            self._refuse_when_closed()
            for new in prepared:
                sentence = self._sentences.setdefault(new.request, new)
                sentence.jobs.append(job)
                if sentence is new:
                    self._waiting.append(new)
                    self._tokens += new.passes.size
            self._changed.notify()

    def run(self, task: Task) -> None:
        """Runs other work before the next batch. Raises `Stale` if the queue is closed."""
        with self._changed:
            self._refuse_when_closed()
            self._tasks.append(task)
            self._changed.notify()

    def close(self) -> None:
        """Finishes what was asked for and ends the threads."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()

    def _refuse_when_closed(self) -> None:
        if self._closed:
            raise Stale

    def _work(self, worker: int) -> None:
        while work := self._next(worker):
            work()

    def _next(self, worker: int) -> Callable[[], None] | None:
        """The next batch or task, once there is one; None when the queue is closed and all is done."""
        with self._changed:
            while True:
                work = self._take(worker)
                if work:
                    if self._waiting or self._tasks:
                        self._changed.notify()
                    return work
                if self._closed and not self._waiting and not self._tasks:
                    self._changed.notify_all()
                    return None
                self._changed.wait()

    def _take(self, worker: int) -> Callable[[], None] | None:
        if self._is_whole:
            return None
        are_few = len(self._waiting) < len(self._threads) and not self._running
        if self._tasks:
            return partial(self._run_task, self._tasks.popleft(), self._enter(worker, are_few))
        batch = self._gather(self._batch_tokens if are_few else self._share())
        return partial(self._decode, batch, self._enter(worker, are_few)) if batch else None

    def _share(self) -> int:
        """Tokens for a batch on a worker, so that all workers have one."""
        return min(LARGEST_BATCH * self._batch_tokens, -(-self._tokens // len(self._threads)))

    def _gather(self, most: int) -> list[_Sentence]:
        """The sentences that have waited longest and can share a batch, without those that no caller waits for."""
        batch: list[_Sentence] = []
        others: list[_Sentence] = []
        tokens = 0
        while self._waiting:
            one = self._waiting.popleft()
            one.jobs = [job for job in one.jobs if job.is_waiting()]
            if not one.jobs:
                self._tokens -= one.passes.size
                del self._sentences[one.request]
            elif batch and not _can_share(one, batch[0]):
                others.append(one)
            elif batch and tokens + one.passes.size > most:
                self._waiting.appendleft(one)
                break
            else:
                batch.append(one)
                tokens += one.passes.size
        self._waiting.extendleft(reversed(others))
        self._tokens -= tokens
        return batch

    def _enter(self, worker: int, is_whole: bool) -> int | None:
        self._running += 1
        self._is_whole = is_whole
        return None if is_whole else worker

    def _leave(self) -> None:
        self._running -= 1
        self._is_whole = False

    def _decode(self, batch: list[_Sentence], worker: int | None) -> None:
        solver, _, threshold = batch[0].request
        begun = sum(not one.passes.solutions for one in batch)
        try:
            solver.decode_pass([one.passes for one in batch], threshold, worker)
        except Exception as error:
            self._fail(batch, error)
            return
        if self._observer and begun:
            self._observer.decoded(begun, 0)
        with self._changed:
            self._leave()
            for one in reversed(batch):
                if one.passes.result is None:
                    self._waiting.appendleft(one)
                    self._tokens += one.passes.size
                    continue
                del self._sentences[one.request]
                for job in one.jobs:
                    job.add(one.request, one.passes.result)

    def _fail(self, batch: list[_Sentence], error: Exception) -> None:
        with self._changed:
            self._leave()
            for one in batch:
                del self._sentences[one.request]
                for job in one.jobs:
                    job.fail(error)

    def _run_task(self, task: Task, worker: int | None) -> None:
        try:
            task(worker)
        finally:
            with self._changed:
                self._leave()


def _can_share(one: _Sentence, other: _Sentence) -> bool:
    """A batch has one model and one threshold."""
    return one.request.solver is other.request.solver and one.request.threshold == other.request.threshold
