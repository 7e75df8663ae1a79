"""Checks the texts of requests, off the event loop and within limits; the APIs of the server all use it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing, contextmanager
from dataclasses import replace
from functools import partial
from typing import TypeVar

from starlette.requests import Request

from redraft.check.corrector import Corrector
from redraft.check.document import SentenceCheck
from redraft.check.languages import Language, find_language, languages_of
from redraft.check.options import CheckOptions
from redraft.check.session import CheckResult, CheckSession
from redraft.check.stale import Stale
from redraft.check.timed_trace import TimedTrace, time_trace
from redraft.check.user_rules import UserRulesStore
from redraft.errors import RedraftError
from redraft.server.metrics import Metrics
from redraft.server.queue import DecodingQueue
from redraft.server.request_pool import OverloadedError, RequestPool
from redraft.server.responses import OVERLOADED, TOO_SLOW, ClientGoneError, RefusedError, stopping
from redraft.server.settings import ServerSettings
from redraft.text.markup import Marked
from redraft.text.scripts import AUTO

_T = TypeVar("_T")
_STEP, _STREAM_STEP = 1024, 256
"""Characters of a text that are decoded at a time; fewer where the first sentence should come soon."""


class Service:
    """One corrector, the files of one user, and the requests that wait for them."""

    def __init__(self, corrector: Corrector, user_rules: UserRulesStore, settings: ServerSettings) -> None:
        self.settings = settings
        self.user_rules = user_rules
        self._pool = RequestPool(settings.queue)
        self.metrics = Metrics(lambda: self._pool.length)
        self._queue = DecodingQueue(corrector.solver, self.metrics)
        self.corrector = corrector.with_solve(self._queue.solve, self._queue.run_task)

    @property
    def is_full(self) -> bool:
        return self._pool.length >= self.settings.queue

    @property
    def is_idle(self) -> bool:
        return self._pool.length == 0

    def stop(self) -> None:
        """Ends all checks, which are then refused with 503. Call it in the event loop."""
        self._pool.stop()

    def close(self) -> None:
        """Waits for the threads. Call it when no request runs."""
        self._pool.close()
        self._queue.close()

    def language(self, code: str, text: str = "") -> Language:
        spoken = self.corrector.languages
        found = find_language(code, *spoken, text=text)
        if found is None:
            known = ", ".join((AUTO, *(language.long_code for language in languages_of(*spoken))))
            raise RefusedError(400, f"'{code[:20]}' is not a language of this server; it has {known}")
        return found

    async def check(self, request: Request, text: str | Marked, options: CheckOptions) -> CheckResult:
        size = self._measure(text)

        def work(is_stale: Callable[[], bool]) -> CheckResult:
            return self._session(options).check(text, is_stale, _STEP)

        result = await self.run(request, work, size)
        self.metrics.count_edits(result.edits)
        return result

    async def check_stepwise(self, text: str, options: CheckOptions) -> AsyncGenerator[SentenceCheck, None]:
        """The sentences as they are done. The work stops when the caller closes the generator."""
        size = self._measure(text)

        def work(is_stale: Callable[[], bool]) -> Iterator[SentenceCheck]:
            return self._session(options).open(text).check_stepwise(is_stale, _STREAM_STEP)

        deadline = asyncio.get_running_loop().time() + self.settings.request_seconds
        async with aclosing(self._pool.stream(work, size)) as sentences:
            while True:
                with refusals():
                    async with asyncio.timeout_at(deadline):
                        sentence = await anext(sentences, None)
                if sentence is None:
                    return
                self.metrics.count_edits(finding.edit for finding in sentence.findings)
                yield sentence

    async def trace(self, request: Request, sentence: str, policy: str) -> TimedTrace:
        """Decodes a text with one draft policy, without the cache."""
        self._measure(sentence)
        work = partial(time_trace, self.corrector, policy, sentence)
        return await self.run(request, lambda is_stale: self._queue.run(work))

    async def run(self, request: Request, job: Callable[[Callable[[], bool]], _T], size: int = 0) -> _T:
        """Runs a job in a thread, until it is done, the client goes away or the time limit is reached."""
        with refusals():
            working = asyncio.ensure_future(self._pool.run(job, size))
            leaving = asyncio.ensure_future(_wait_until_gone(request))
            try:
                async with asyncio.timeout(self.settings.request_seconds):
                    await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
                    if not working.done():
                        raise ClientGoneError
                    return working.result()
            finally:
                working.cancel()
                leaving.cancel()

    def _session(self, options: CheckOptions) -> CheckSession:
        return CheckSession(self.corrector, replace(options, rules=self.user_rules))

    def _measure(self, text: str | Marked) -> int:
        """The length of a text; one that is too long is refused."""
        length, most = len(text.source if isinstance(text, Marked) else text), self.settings.max_text
        if length > most:
            raise RefusedError(413, f"the text has {length:,} characters; the server takes up to {most:,}")
        return length


@contextmanager
def refusals() -> Iterator[None]:
    """Turns what can go wrong into answers with a status and a message."""
    try:
        yield
    except OverloadedError:
        raise RefusedError(503, OVERLOADED, retry_after="1") from None
    except TimeoutError:
        raise RefusedError(504, TOO_SLOW) from None
    except Stale:
        raise stopping() from None
    except RedraftError as error:
        raise RefusedError(400, str(error)) from None


async def _wait_until_gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
