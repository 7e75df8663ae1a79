"""The work of a server: requests in threads of their own, and few threads that decode for all of them."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Collection, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from threading import Condition, Event, Thread
from typing import Any, Protocol, TypeVar

from redraft.check.alternatives import Rewordings
from redraft.check.interpreter import Solution
from redraft.check.solver import SentenceRequest, SentenceSolver, Solve, Stale, never, reword_request, solve_requests
from redraft.server.thread_priority import lower_priority

_THREADS = 32
"""Requests whose sentences can share a batch; further ones wait for a thread. As many small ones have threads too."""
_SMALL = 1000
"""Characters of a small request: as long as only few requests are small, none of them waits for a thread."""
_LARGE = 20_000
_LARGE_AT_ONCE = 4
"""Texts of more than `_LARGE` characters that are worked on at once: they take memory in proportion to their length."""
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


class Observer(Protocol):
    """Counts the work."""

    def decoded(self, sentences: int, known: int) -> None:
        """Called after a turn of the engine, with the number of sentences and how many of them came from the cache."""


@dataclass(slots=True)
class _Job:
    """The sentences that one thread waits for."""

    requests: deque[SentenceRequest]
    is_stale: Callable[[], bool]
    size: int
    """Number of all its sentences."""
    solved: dict[SentenceRequest, Solution] = field(default_factory=dict)
    answer: Future[dict[SentenceRequest, Solution]] = field(default_factory=Future)


_Turn = dict[SentenceRequest, list[_Job]]
"""The sentences that are decoded next, and the jobs that wait for each of them."""


class DecodingQueue:
    """Decodes sentences of several callers together, in threads of its own.

    One sentence of each caller is taken in turn. Callers with little to decode, such as an editor after a keystroke,
    do not wait for the others: an engine with workers decodes both at the same time, the others' sentences in threads
    of low priority. Where many callers with little to decode wait, their sentences go to the workers too. Any other
    engine runs in one thread, which takes short jobs first.
    """

    def __init__(self, solver: SentenceSolver, observer: Observer | None = None) -> None:
        self._characters = solver.options.batch_tokens * _CHARACTERS_A_TOKEN * _BATCHES_A_TURN
        self._observer = observer
        self._changed = Condition()
        self._jobs: dict[_Class, deque[_Job]] = {_Class.SHORT: deque(), _Class.LONG: deque()}
        self._tasks: deque[tuple[Callable[[], Any], Future[Any]]] = deque()
        self._closed = False
        apart, together = [(_Class.SHORT,), (_Class.LONG,)], [(_Class.SHORT, _Class.LONG)]
        takers: list[tuple[_Class, ...]] = [*apart * _TURNS_AT_ONCE] if solver.is_parallel else [*together]
        self._threads = [
            Thread(target=self._work, args=(classes,), name="redraft-engine", daemon=True) for classes in takers
        ]
        for thread in self._threads:
            thread.start()

    @property
    def length(self) -> int:
        """Callers with sentences that wait for their turn."""
        return sum(map(len, self._jobs.values()))

    def solve(
        self, requests: Collection[SentenceRequest], is_stale: Callable[[], bool] = never
    ) -> dict[SentenceRequest, Solution]:
        """Waits until all sentences are decoded. Raises `Stale` when `is_stale` says so, or the queue is closed."""
        different = deque(dict.fromkeys(requests))
        if not different:
            return {}
        job = _Job(different, is_stale, len(different))
        unknown = (one for one in different if not one.solver.is_cached(one.sentence, one.threshold))
        is_short = sum(len(one.sentence) for one in unknown) <= _SHORT
        with self._changed:
            self._refuse_when_closed()
            self._jobs[_Class.SHORT if is_short else _Class.LONG].append(job)
            self._changed.notify_all()
        return job.answer.result()

    def run(self, task: Callable[[], _T]) -> _T:
        """Runs something else in a thread of the queue, between two turns."""
        answer: Future[_T] = Future()
        with self._changed:
            self._refuse_when_closed()
            self._tasks.append((task, answer))
            self._changed.notify_all()
        return answer.result()

    def reword(self, request: SentenceRequest, solution: Solution) -> Rewordings:
        """Finds other suggestions for a sentence, in a thread of the queue."""
        return self.run(lambda: reword_request(request, solution))

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

    def _work(self, classes: Sequence[_Class]) -> None:
        takes_tasks = _Class.SHORT in classes
        solve: Solve = solve_requests
        if not takes_tasks:
            solve = partial(solve_requests, on_workers=True)  # the engine itself is for short jobs
            lower_priority()

        def has_work() -> bool:
            return any(self._jobs[one] for one in classes) or (takes_tasks and bool(self._tasks))

        while True:
            with self._changed:
                self._changed.wait_for(lambda: has_work() or self._closed)
                if not has_work():
                    return
                task = self._tasks.popleft() if takes_tasks and self._tasks else None
                turn = self._gather(classes)
            if task is not None:
                _settle(task[1], task[0])
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
                if job.answer.done():
                    continue
                if job.is_stale():
                    job.answer.set_exception(Stale())
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
                    job.solved[request] = solutions[request]
                    if len(job.solved) == job.size and not job.answer.done():
                        job.answer.set_result(job.solved)

    def _fail(self, turn: _Turn, error: Exception) -> None:
        with self._changed:
            for job in (job for jobs in turn.values() for job in jobs):
                if not job.answer.done():
                    job.answer.set_exception(error)


class OverloadedError(Exception):
    """As many requests as the server takes are waiting already."""


class RequestPool:
    """Runs the requests of an event loop in threads, up to a limit."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._small_threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="redraft-small-request")
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="redraft-request")
        self._large = asyncio.Semaphore(_LARGE_AT_ONCE)
        self._running: dict[Event, Callable[[], object]] = {}
        """For each request, how to end the wait for its thread."""
        self._stopped = False

    @property
    def length(self) -> int:
        """Number of requests that wait or are being worked on."""
        return len(self._running)

    async def run(self, job: Callable[[Callable[[], bool]], _T], size: int = 0) -> _T:
        """Runs a job in a thread. Its argument tells it whether this call was cancelled, so that it can give up.

        `size` is the number of characters that it works on.
        """
        gone = self._enter()
        try:
            working = await self._start(lambda: job(gone.is_set), size)
            self._running[gone] = working.cancel
            return await working
        except asyncio.CancelledError:
            if self._stopped:
                raise Stale from None
            raise
        finally:
            self._leave(gone)

    async def stream(
        self, job: Callable[[Callable[[], bool]], Iterator[_T]], size: int = 0
    ) -> AsyncGenerator[_T, None]:
        """Passes on what a job yields, item by item."""
        loop = asyncio.get_running_loop()
        arrived: asyncio.Queue[_T | Stale | None] = asyncio.Queue()
        gone = self._enter()

        def work() -> None:
            try:
                for item in job(gone.is_set):
                    loop.call_soon_threadsafe(arrived.put_nowait, item)
            finally:
                loop.call_soon_threadsafe(arrived.put_nowait, None)

        working: asyncio.Future[None] | None = None
        try:
            working = await self._start(work, size)
            self._running[gone] = lambda: arrived.put_nowait(Stale())
            while (item := await arrived.get()) is not None:
                if isinstance(item, Stale):
                    raise item
                yield item
                # Items that wait already would come without a pause in which the event loop serves others.
                await asyncio.sleep(0)
            await working
        finally:
            if working:
                working.cancel()
            self._leave(gone)

    def stop(self) -> None:
        """Ends all requests with `Stale`, at once; their threads give up when they can."""
        self._stopped = True
        for gone, end in list(self._running.items()):
            gone.set()
            end()

    def close(self) -> None:
        """Waits for the threads. Call it when no request runs."""
        for threads in (self._small_threads, self._threads):
            threads.shutdown(wait=True, cancel_futures=True)

    async def _start(self, work: Callable[[], _T], size: int) -> asyncio.Future[_T]:
        """Starts work in a thread; a large text waits until few others are worked on."""
        if size <= _LARGE:
            threads = self._small_threads if size <= _SMALL else self._threads
            return asyncio.wrap_future(threads.submit(work))
        loop = asyncio.get_running_loop()
        await self._large.acquire()
        if self._stopped:
            self._large.release()
            raise Stale

        def release(_: object) -> None:
            with suppress(RuntimeError):  # the event loop is closed
                loop.call_soon_threadsafe(self._large.release)

        submitted = self._threads.submit(work)
        submitted.add_done_callback(release)  # when the thread is done, not when its caller has left
        return asyncio.wrap_future(submitted)

    def _enter(self) -> Event:
        if self._stopped:
            raise Stale
        if len(self._running) >= self._limit:
            raise OverloadedError
        gone = Event()
        self._running[gone] = gone.set
        return gone

    def _leave(self, gone: Event) -> None:
        gone.set()
        del self._running[gone]


def _settle(answer: Future[Any], task: Callable[[], Any]) -> None:
    try:
        answer.set_result(task())
    except Exception as error:
        answer.set_exception(error)
