"""Checks open documents in a thread of its own, in turns, so that a long document does not delay the others."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

from redraft.check.alternatives import Alternative
from redraft.check.corrector import Corrector
from redraft.check.document import Document, Finding, SentenceCheck
from redraft.check.languages import find_language
from redraft.check.options import CheckOptions
from redraft.check.session import CheckSession
from redraft.check.unchecked import Unchecked
from redraft.lsp.tracked_finding import TrackedFinding
from redraft.settings.options import ModelOptions
from redraft.text.language_tags import parse_tag

_SLICE_SECONDS = 0.1
_REPORT_SECONDS = 0.5
"""Time until the first report of what was found so far; each later report takes twice as long."""


@dataclass(frozen=True, slots=True)
class Progress:
    """What was found so far, before the offset `reached`; behind the end of the text when all is done."""

    findings: tuple[TrackedFinding, ...]
    unchecked: tuple[Unchecked, ...]
    reached: int


@dataclass(slots=True)
class _CheckRun:
    """A check that runs in slices of time."""

    steps: Iterator[SentenceCheck]
    findings: list[TrackedFinding] = field(default_factory=list)
    unchecked: list[Unchecked] = field(default_factory=list)
    reached: int = 0

    def run_slice(self) -> bool:
        """Works for a short time. True when nothing is left to do."""
        end = time.monotonic() + _SLICE_SECONDS
        for sentence in self.steps:
            self.findings += (TrackedFinding(finding, sentence.text) for finding in sentence.findings)
            if sentence.unchecked:
                self.unchecked.append(sentence.unchecked)
            self.reached = sentence.span.end
            if time.monotonic() > end:
                return False
        return True


class Correctors:
    """Opens correctors when they are needed: one for the command's model, and others for languages it does not know."""

    def __init__(self, options: ModelOptions) -> None:
        self._options = options
        self._opened: dict[str | None, Corrector] = {}

    def open(self, language: str | None = None) -> Corrector:
        usual = self._open(None, self._options)
        if language is None or find_language(language, *usual.languages):
            return usual
        name = parse_tag(language).language
        return self._open(name, replace(self._options, model=name))

    def _open(self, name: str | None, options: ModelOptions) -> Corrector:
        if name not in self._opened:
            self._opened[name] = options.open()
        return self._opened[name]


class Checker:
    """Checks documents. Models and documents are used in its one thread only."""

    def __init__(self, correctors: Correctors) -> None:
        self._correctors = correctors
        self._thread = ThreadPoolExecutor(1, "redraft-check")
        self._documents: dict[str, Document] = {}

    async def check(self, uri: str, text: str, options: CheckOptions) -> AsyncIterator[Progress]:
        """What was found so far, at last all of it. The work stops when the caller closes the iterator.

        Raises a `RedraftError` where the model cannot be opened.
        """
        listening = True
        loop = asyncio.get_running_loop()
        try:
            run = await loop.run_in_executor(self._thread, self._begin, uri, text, options, lambda: not listening)
            done = False
            start, pause = time.monotonic(), _REPORT_SECONDS
            while not done:
                done = await loop.run_in_executor(self._thread, run.run_slice)
                if done or time.monotonic() - start > pause:
                    pause *= 2
                    reached = len(text) + 1 if done else run.reached
                    yield Progress(tuple(run.findings), tuple(run.unchecked), reached)
        finally:
            listening = False

    async def alternatives(self, uri: str, findings: Sequence[Finding]) -> dict[Finding, tuple[Alternative, ...]]:
        """Up to three replacements for each finding of the last check, the finding's own first."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._find_alternatives, uri, findings)

    def forget(self, uri: str) -> None:
        # In the thread, behind a check that may just be storing it.
        self._thread.submit(self._documents.pop, uri, None)

    def stop(self) -> None:
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _begin(self, uri: str, text: str, options: CheckOptions, is_stale: Callable[[], bool]) -> _CheckRun:
        return _CheckRun(self._document(uri, text, options).check_stepwise(is_stale))

    def _find_alternatives(self, uri: str, findings: Sequence[Finding]) -> dict[Finding, tuple[Alternative, ...]]:
        document = self._documents.get(uri)
        return {finding: document.alternatives(finding) for finding in findings} if document else {}

    def _document(self, uri: str, text: str, options: CheckOptions) -> Document:
        """The document of an earlier check, brought up to date, so that only what changed is checked again."""
        document = self._documents.get(uri)
        if document and document.options == options:
            if document.text != text:
                document.replace_all(text)
        else:
            document = CheckSession(self._correctors.open(options.language), options).open(text)
        self._documents[uri] = document
        return document
