"""The engine of a server: few threads that decode the sentences of all requests."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Sequence
from concurrent.futures import Future
from enum import Enum
from functools import partial
from threading import Condition, Thread
from typing import Any, TypeVar

from redraft.check.interpreter import Solution
from redraft.check.requests import SentenceRequest, Solve, solve_requests
from redraft.check.solver import SentenceSolver
from redraft.check.stale import Stale, never
from redraft.server.batch_queue import BatchQueue
from redraft.server.job import Job, Observer
from redraft.server.thread_priority import lower_priority

_CHARACTERS_A_TOKEN = 4
_SHORT = 400
"""Characters to decode for which a job counts as short: a paragraph, or a text of which most is known already."""
_TURNS_AT_ONCE = 2
"""While the engine decodes the sentences of one turn, the edits of the other are found."""
_BATCHES_A_TURN = 2
"""More would bring together more sentences of similar length, but let the next ones wait longer."""
_T = TypeVar("_T")


class _Class(Enum):
    """How much there is to decode for a job."""

    SHORT = "short"
    LONG = "long"


_Turn = dict[SentenceRequest, list[Job]]
"""The sentences that are decoded next, and the jobs that wait for each of them."""


class DecodingQueue:
    """Decodes sentences of several callers together, in threads of its own.

    Sentences in the cache are answered at once. Callers with little to decode, such as an editor after a keystroke, do
    not wait for the others: an engine with workers decodes both at the same time, the others' sentences in threads of
    low priority, one of each caller in turn. Any other engine runs in one thread, which takes short jobs first.
    """

    def __init__(self, solver: SentenceSolver, observer: Observer | None = None) -> None:
        self._characters = solver.options.batch_tokens * _CHARACTERS_A_TOKEN * _BATCHES_A_TURN
        self._observer = observer
        self._changed = Condition()
        self._jobs: dict[_Class, deque[Job]] = {_Class.SHORT: deque(), _Class.LONG: deque()}
        self._tasks: deque[Callable[[], None]] = deque()
        self._closed = False
        self._batches = BatchQueue(solver, observer) if solver.is_parallel else None
        """For short jobs and tasks, on an engine with workers."""
        classes, count = ((_Class.LONG,), _TURNS_AT_ONCE) if self._batches else ((_Class.SHORT, _Class.LONG), 1)
        self._threads = [
            Thread(target=self._work, args=(classes,), name="redraft-engine", daemon=True) for _ in range(count)
        ]
        for thread in self._threads:
            thread.start()

    @property
    def length(self) -> int:
        """Callers with sentences that wait for their turn; of short ones on an engine with workers, the sentences."""
        return sum(map(len, self._jobs.values())) + (self._batches.length if self._batches else 0)

    def solve(
        self, requests: Collection[SentenceRequest], is_stale: Callable[[], bool] = never
    ) -> dict[SentenceRequest, Solution]:
        """Waits until all sentences are decoded. Raises `Stale` when `is_stale` says so, or the queue is closed."""
        self._refuse_when_closed()
        different = dict.fromkeys(requests)
        known = _look_up(different)
        if known and self._observer:
            self._observer.decoded(len(known), len(known))
        unknown = [one for one in different if one not in known]
        if not unknown:
            return known
        job = Job(unknown, is_stale, known)
        is_short = sum(len(one.sentence) for one in unknown) <= _SHORT
        if is_short and self._batches:
            self._batches.add(job)
        else:
            with self._changed:
                self._refuse_when_closed()
                self._jobs[_Class.SHORT if is_short else _Class.LONG].append(job)
                self._changed.notify()
        return job.wait()

    def run(self, task: Callable[[], _T]) -> _T:
        """Runs something else in a thread of the queue, between two turns."""
        return self.run_task(lambda worker: task())

    def close(self) -> None:
        """Finishes what was asked for and ends the threads."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()
        if self._batches:
            self._batches.close()

    def _refuse_when_closed(self) -> None:
        if self._closed:
            raise Stale

    def run_task(self, task: Callable[[int | None], _T], /) -> _T:
        """Runs a task in a thread of the queue. It is called with a worker of the engine, or with None for the engine
        itself."""
        answer: Future[_T] = Future()
        if self._batches:
            self._batches.run(lambda worker: _settle(answer, partial(task, worker)))
        else:
            with self._changed:
                self._refuse_when_closed()
                self._tasks.append(lambda: _settle(answer, partial(task, None)))
                self._changed.notify()
        return answer.result()

    def _work(self, classes: Sequence[_Class]) -> None:
        solve: Solve = solve_requests
        if self._batches:
            solve = partial(solve_requests, on_workers=True)  # the engine itself is for short jobs
            lower_priority()

        def has_work() -> bool:
            return any(self._jobs[one] for one in classes) or bool(self._tasks)

        while True:
            with self._changed:
                self._changed.wait_for(lambda: has_work() or self._closed)
                if not has_work():
                    return
                task = self._tasks.popleft() if self._tasks else None
                turn = self._gather(classes)
                if has_work():
                    self._changed.notify()
            if task is not None:
                task()
            if turn:
                self._decode(turn, solve)

    def _gather(self, classes: Sequence[_Class]) -> _Turn:
        """The sentences of the next turn, one of each caller in turn; callers that went away get nothing more.

        At least one of each class, so that many short jobs do not keep a long one waiting for ever.
        """
        turn: _Turn = {}
        left = self._characters
        for jobs in (self._jobs[one] for one in classes):
            before = len(turn)
            while jobs and (left > 0 or len(turn) == before):
                job = jobs.popleft()
                if not job.is_waiting():
                    continue
                request = job.requests.popleft()
                left -= len(request.sentence) if request not in turn else 0
                turn.setdefault(request, []).append(job)
                if job.requests:
                    jobs.append(job)
        return turn

    def _decode(self, turn: _Turn, solve: Solve) -> None:
        known = sum(request.solver.is_cached(request.sentence, request.threshold) for request in turn)
        try:
            solutions = solve(turn, never)
        except Exception as error:
            self._fail(turn, error)
            return
        if self._observer:
            self._observer.decoded(len(turn), known)
        # Sentences of one job may be in turns of two threads.
        with self._changed:
            for request, jobs in turn.items():
                for job in jobs:
                    job.add(request, solutions[request])

    def _fail(self, turn: _Turn, error: Exception) -> None:
        with self._changed:
            for job in (job for jobs in turn.values() for job in jobs):
                job.fail(error)


def _look_up(requests: Iterable[SentenceRequest]) -> dict[SentenceRequest, Solution]:
    """The sentences that are in the cache."""
    groups: dict[tuple[SentenceSolver, float], list[SentenceRequest]] = {}
    for request in requests:
        groups.setdefault((request.solver, request.threshold), []).append(request)
    found: dict[SentenceRequest, Solution] = {}
    for (solver, threshold), group in groups.items():
        known = solver.look_up((one.sentence for one in group), threshold)
        found.update((one, known[one.sentence]) for one in group if one.sentence in known)
    return found


def _settle(answer: Future[Any], task: Callable[[], Any]) -> None:
    try:
        answer.set_result(task())
    except Exception as error:
        answer.set_exception(error)
