"""What a server does for whoever asks, in whichever protocol: checks texts, off the event loop and within limits."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from starlette.requests import Request

from redraft.check.corrector import Corrector, Stale
from redraft.check.document import Document, Finding, SentenceCheck
from redraft.check.languages import Language, find_language, languages_of
from redraft.check.timed_trace import TimedTrace, time_trace
from redraft.check.user_rules import Personal
from redraft.edits.edit import Kind
from redraft.errors import RedraftError
from redraft.server.metrics import Metrics
from redraft.server.queue import OverloadedError, SharedCorrector, Workload
from redraft.server.responses import ClientGoneError, RefusedError
from redraft.server.settings import ServerSettings
from redraft.text.dialects import Dialect
from redraft.text.markup import Marked
from redraft.text.scripts import AUTO

if TYPE_CHECKING:
    pass

_T = TypeVar("_T")
_STEP, _STREAM_STEP = 1024, 256
"""Characters of a text that are asked for at once; fewer where someone waits for the first sentence."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """What someone wants to know of a text."""

    format: str = "plain"
    dialect: Dialect | None = None
    threshold: float | None = None
    kinds: frozenset[Kind] | None = None
    ignored_kinds: frozenset[Kind] = frozenset()
    language: str | None = None
    """The only one to check, without a country; None for every sentence in its own."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A text and what was found in it."""

    text: str
    sentences: tuple[SentenceCheck, ...]

    @property
    def findings(self) -> tuple[Finding, ...]:
        return tuple(finding for sentence in self.sentences for finding in sentence.findings)

    @property
    def calls(self) -> int:
        return sum(sentence.trace.calls for sentence in self.sentences)


class Service:
    """One model, the files of one person, and the requests that wait for them."""

    def __init__(self, corrector: Corrector, personal: Personal, settings: ServerSettings) -> None:
        self.settings = settings
        self.personal = personal
        self._workload = Workload(settings.queue)
        self.metrics = Metrics(lambda: self._workload.length)
        self.corrector = SharedCorrector(corrector, self.metrics)

    @property
    def is_full(self) -> bool:
        return self._workload.length >= self.settings.queue

    @property
    def is_idle(self) -> bool:
        return self._workload.length == 0

    def close(self) -> None:
        """Finishes what was accepted."""
        self._workload.close()
        self.corrector.close()

    def language(self, code: str, text: str = "") -> Language:
        spoken = self.corrector.languages
        found = find_language(code, *spoken, text=text)
        if found is None:
            known = ", ".join((AUTO, *(language.long_code for language in languages_of(*spoken))))
            raise RefusedError(400, f"'{code[:20]}' is not a language code known here; there are {known}")
        return found

    async def check(self, request: Request, text: str | Marked, wishes: Wishes) -> Checked:
        self._measure(text)

        def work(is_stale: Callable[[], bool]) -> Checked:
            document = self._open(text, wishes)
            return Checked(document.text, tuple(document.check_stepwise(is_stale, _STEP)))

        checked = await self.run(request, work)
        self.metrics.count_edits(finding.edit for finding in checked.findings)
        return checked

    async def check_stepwise(self, text: str, wishes: Wishes) -> AsyncGenerator[SentenceCheck, None]:
        """The sentences as they are done. Whoever stops asking for more stops the work."""
        self._measure(text)

        def work(is_stale: Callable[[], bool]) -> Iterator[SentenceCheck]:
            return self._open(text, wishes).check_stepwise(is_stale, _STREAM_STEP)

        deadline = asyncio.get_running_loop().time() + self.settings.request_seconds
        async with aclosing(self._workload.stream(work)) as sentences:
            while True:
                with refusals():
                    async with asyncio.timeout_at(deadline):
                        sentence = await anext(sentences, None)
                if sentence is None:
                    return
                self.metrics.count_edits(finding.edit for finding in sentence.findings)
                yield sentence

    async def trace(self, request: Request, sentence: str, policy: str) -> TimedTrace:
        """Decodes a text with one draft policy, and remembers nothing of it."""
        self._measure(sentence)
        shared = self.corrector
        return await self.run(request, lambda is_stale: shared.run(partial(time_trace, shared, policy, sentence)))

    async def run(self, request: Request, job: Callable[[Callable[[], bool]], _T]) -> _T:
        """Runs a job in a thread; gives it up when its client goes away or its time is over."""
        with refusals():
            working = asyncio.ensure_future(self._workload.run(job))
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

    def _open(self, text: str | Marked, wishes: Wishes) -> Document:
        return Document(
            self.corrector.speaking(wishes.language, wishes.dialect),
            text,
            format=wishes.format,
            personal=self.personal,
            threshold=wishes.threshold,
            kinds=wishes.kinds,
            ignored_kinds=wishes.ignored_kinds,
        )

    def _measure(self, text: str | Marked) -> None:
        length, most = len(text.source if isinstance(text, Marked) else text), self.settings.max_text
        if length > most:
            raise RefusedError(413, f"the text has {length:,} characters; the server takes up to {most:,}")


@contextmanager
def refusals() -> Iterator[None]:
    """What can come in the way of an answer, as clients are told."""
    try:
        yield
    except OverloadedError:
        raise RefusedError(503, "too many requests are waiting; try again in a moment", retry_after="1") from None
    except TimeoutError:
        raise RefusedError(504, "the answer took too long; send a shorter text") from None
    except Stale:
        raise RefusedError(503, "the server is being stopped") from None
    except RedraftError as error:
        raise RefusedError(400, str(error)) from None


async def _wait_until_gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
