"""The work of a server: many requests, each in a thread of its own, and one engine that decodes for all of them."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from threading import Condition, Event, Thread
from typing import Any, NamedTuple, Protocol, TypeVar

from redraft.check.corrector import Corrector, Stale, never
from redraft.check.interpreter import Solution
from redraft.text.dialects import Dialect
from redraft.text.scripts import can_read

_THREADS = 32
"""Requests whose sentences can meet in one batch; further ones wait for their turn."""
_CHARACTERS_A_TOKEN = 4
_BATCHES_A_TURN = 2
"""More would bring together more sentences of like length, but let the next ones wait longer."""
_T = TypeVar("_T")


class Observer(Protocol):
    """Who counts the work."""

    def decoded(self, sentences: int, known: int) -> None:
        """A turn of the engine: so many sentences, of which so many had been decoded before."""


class _Asked(NamedTuple):
    """A sentence, and who is to correct it."""

    reader: Corrector
    sentence: str


@dataclass(slots=True)
class _Wanted:
    """Sentences that one thread waits for."""

    sentences: deque[_Asked]
    is_stale: Callable[[], bool]
    solved: dict[str, Solution] = field(default_factory=dict)
    missing: int = 0
    """Sentences that are not solved yet, in a turn or before it."""
    answer: Future[dict[str, Solution]] = field(default_factory=Future)


@dataclass(frozen=True, slots=True)
class _Turn:
    """What is decoded next: sentences and who waits for each of them."""

    waiting: dict[_Asked, list[_Wanted]]

    @property
    def readers(self) -> dict[Corrector, list[str]]:
        """Who corrects, and what."""
        found: dict[Corrector, list[str]] = {}
        for asked in self.waiting:
            found.setdefault(asked.reader, []).append(asked.sentence)
        return found


class SharedCorrector(Corrector):
    """A corrector with a thread of its own for the engine, where sentences of several callers are decoded together.

    Every caller gives one sentence in turn, so that a short text never waits for a long one. Companions decode in that
    thread as well: models that run at once would only be in each other's way.
    """

    def __init__(self, corrector: Corrector, observer: Observer | None = None) -> None:
        super().__init__(corrector.engine, corrector.tokenizer, corrector.info, corrector.options)
        self._observer = observer
        self._arrived = Condition()
        self._wanted: deque[_Wanted] = deque()
        self._tasks: deque[tuple[Callable[[], Any], Future[Any]]] = deque()
        self._closed = False
        self._thread = Thread(target=self._work, name="redraft-engine", daemon=True)
        self._thread.start()

    def solve(self, sentences: Iterable[str], is_stale: Callable[[], bool] = never) -> dict[str, Solution]:
        return self.solve_by(self._reader, sentences, is_stale)

    def solve_by(
        self, choose: Callable[[str], Corrector], sentences: Iterable[str], is_stale: Callable[[], bool]
    ) -> dict[str, Solution]:
        """What comes of sentences when each is corrected by whom one chooses for it: this corrector or a companion."""
        different = deque(dict.fromkeys(_Asked(choose(sentence), sentence) for sentence in sentences))
        if not different:
            return {}
        wanted = _Wanted(different, is_stale, missing=len(different))
        with self._arrived:
            self._refuse_when_closed()
            self._wanted.append(wanted)
            self._arrived.notify()
        return wanted.answer.result()

    def speaking(self, language: str | None, dialect: Dialect | None) -> Corrector:
        """The same corrector for texts in one of its languages, which is then the only one that is corrected, and in a
        dialect of it; None for every sentence in its own."""
        if language is None or not self.options.companions:
            return self if dialect == self.options.dialect else _Speaking(self, dialect)
        others = (other for other in self.options.companions if other.language.lower() == language.lower())
        companion = next(others, None)
        return _Alone(self, companion.corrector if companion else self, dialect)

    def run(self, task: Callable[[], _T]) -> _T:
        """Runs something else in the engine's thread, between two batches."""
        answer: Future[_T] = Future()
        with self._arrived:
            self._refuse_when_closed()
            self._tasks.append((task, answer))
            self._arrived.notify()
        return answer.result()

    def close(self) -> None:
        """Finishes what was asked for and ends the thread."""
        with self._arrived:
            self._closed = True
            self._arrived.notify()
        self._thread.join()

    def _refuse_when_closed(self) -> None:
        if self._closed:
            raise Stale

    def _work(self) -> None:
        while True:
            with self._arrived:
                self._arrived.wait_for(lambda: self._wanted or self._tasks or self._closed)
                if not (self._wanted or self._tasks):
                    return
                task = self._tasks.popleft() if self._tasks else None
                turn = self._gather()
            if task is not None:
                _settle(task[1], task[0])
            if turn.waiting:
                self._decode_turn(turn)

    def _gather(self) -> _Turn:
        """Sentences for a turn of the engine, one from each caller in turn; callers that went away get nothing more."""
        turn = _Turn({})
        room = self.options.batch_tokens * _CHARACTERS_A_TOKEN * _BATCHES_A_TURN
        while self._wanted and room > 0:
            wanted = self._wanted.popleft()
            if wanted.is_stale():
                wanted.answer.set_exception(Stale())
                continue
            asked = wanted.sentences.popleft()
            room -= len(asked.sentence) if asked not in turn.waiting else 0
            turn.waiting.setdefault(asked, []).append(wanted)
            if wanted.sentences:
                self._wanted.append(wanted)
        return turn

    def _decode_turn(self, turn: _Turn) -> None:
        known = sum(asked.sentence in asked.reader._solutions for asked in turn.waiting)
        solutions: dict[_Asked, Solution] = {}
        try:
            for reader, sentences in turn.readers.items():
                solved = super().solve(sentences) if reader is self else reader.solve(sentences)
                solutions |= {_Asked(reader, sentence): solution for sentence, solution in solved.items()}
        except Exception as error:
            self._fail(turn, error)
            return
        if self._observer:
            self._observer.decoded(len(turn.waiting), known)
        for asked, callers in turn.waiting.items():
            for wanted in callers:
                wanted.solved[asked.sentence] = solutions[asked]
                wanted.missing -= 1
                if wanted.missing == 0 and not wanted.answer.done():
                    wanted.answer.set_result(wanted.solved)

    def _fail(self, turn: _Turn, error: Exception) -> None:
        failed = {id(wanted): wanted for callers in turn.waiting.values() for wanted in callers}
        with self._arrived:
            self._wanted = deque(wanted for wanted in self._wanted if id(wanted) not in failed)
        for wanted in failed.values():
            wanted.answer.set_exception(error)


class _Speaking(Corrector):
    """Prefers the spellings of a dialect; what the model makes of a sentence is the same for all of them."""

    def __init__(self, shared: SharedCorrector, dialect: Dialect | None) -> None:
        super().__init__(shared.engine, shared.tokenizer, shared.info, replace(shared.options, dialect=dialect))
        self._shared = shared

    def solve(self, sentences: Iterable[str], is_stale: Callable[[], bool] = never) -> dict[str, Solution]:
        return self._shared.solve(sentences, is_stale)


class _Alone(Corrector):
    """Corrects one language of several, and leaves every sentence alone that is not in its script."""

    def __init__(self, shared: SharedCorrector, reader: Corrector, dialect: Dialect | None) -> None:
        options = replace(reader.options, dialect=dialect, companions=())
        super().__init__(reader.engine, reader.tokenizer, reader.info, options)
        self._shared = shared
        self._only = reader

    def solve(self, sentences: Iterable[str], is_stale: Callable[[], bool] = never) -> dict[str, Solution]:
        different = dict.fromkeys(sentences)
        own = [sentence for sentence in different if can_read(self.info.language, sentence)]
        left_alone = self._hand_over(different.keys() - own, is_stale)
        return left_alone | self._shared.solve_by(lambda sentence: self._only, own, is_stale)


class OverloadedError(Exception):
    """As many requests as the server takes are waiting already."""


class Workload:
    """Runs the requests of an event loop in threads, and knows how many there are."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="redraft-request")
        self.length = 0
        """Requests that wait or are being worked on."""

    async def run(self, job: Callable[[Callable[[], bool]], _T]) -> _T:
        """Runs a job that is told how to see whether its answer is still wanted; it is not when this is cancelled."""
        gone = self._enter()
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, job, gone.is_set)
        finally:
            gone.set()
            self.length -= 1

    async def stream(self, job: Callable[[Callable[[], bool]], Iterator[_T]]) -> AsyncGenerator[_T, None]:
        """What a job yields, as soon as it yields it."""
        loop = asyncio.get_running_loop()
        arrived: asyncio.Queue[_T | None] = asyncio.Queue()
        gone = self._enter()

        def work() -> None:
            try:
                for item in job(gone.is_set):
                    loop.call_soon_threadsafe(arrived.put_nowait, item)
            finally:
                loop.call_soon_threadsafe(arrived.put_nowait, None)

        working = loop.run_in_executor(self._threads, work)
        try:
            while (item := await arrived.get()) is not None:
                yield item
                # Items that wait already would come without a pause, in which others are served and leaving is noticed.
                await asyncio.sleep(0)
            await working
        finally:
            working.cancel()
            gone.set()
            self.length -= 1

    def close(self) -> None:
        self._threads.shutdown(wait=True, cancel_futures=True)

    def _enter(self) -> Event:
        if self.length >= self._limit:
            raise OverloadedError
        self.length += 1
        return Event()


def _settle(answer: Future[Any], task: Callable[[], Any]) -> None:
    try:
        answer.set_result(task())
    except Exception as error:
        answer.set_exception(error)
