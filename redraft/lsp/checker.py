"""Checks open documents on a thread of its own, a slice at a time, so that a long one keeps no other waiting."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

from redraft.check.corrector import Corrector
from redraft.check.document import Document, SentenceCheck
from redraft.check.languages import find_language
from redraft.check.session import Vouched
from redraft.check.user_rules import Personal
from redraft.lsp.notes import Change, Note
from redraft.lsp.rules import Rules
from redraft.settings.options import ModelOptions
from redraft.text.dialects import dialect_of
from redraft.text.language_tags import parse_tag

_SLICE_SECONDS = 0.1
_REPORT_SECONDS = 0.5
"""When to tell for the first time what was found so far; each later report takes twice as long."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A check that is asked for."""

    uri: str
    text: str
    rules: Rules
    personal: Personal


@dataclass(frozen=True, slots=True)
class Progress:
    """What was found so far, before an offset of the text; at the end that lies behind the text."""

    notes: tuple[Note, ...]
    reached: int


@dataclass(slots=True)
class _Work:
    steps: Iterator[SentenceCheck]
    notes: list[Note] = field(default_factory=list)
    reached: int = 0

    def go_on(self) -> bool:
        """Works for a slice of time. True when there is nothing left."""
        end = time.monotonic() + _SLICE_SECONDS
        for sentence in self.steps:
            self.notes += (Note(finding, sentence.text) for finding in sentence.findings)
            self.reached = sentence.span.end
            if time.monotonic() > end:
                return False
        return True


class Correctors:
    """Opens correctors when they are wanted. Those that differ in the dialect or the draft policy share an engine."""

    def __init__(self, options: ModelOptions) -> None:
        self._options = options
        self._by_language: dict[str | None, Corrector] = {}
        self._opened: dict[tuple[str | None, str | None], Corrector] = {}

    def open(self, language: str | None = None, draft: str | None = None) -> Corrector:
        """A language that is named is the only one corrected; with a country it has that spelling too, where spellings
        are known to differ."""
        wish = language, draft
        if wish not in self._opened:
            corrector = self._of_language(language)
            options = corrector.options
            dialect = dialect_of(language or "") or options.dialect
            decode = replace(options.decode, policy=draft or options.decode.policy)
            companions = () if language else options.companions
            chosen = replace(options, decode=decode, dialect=dialect, companions=companions)
            self._opened[wish] = Corrector(corrector.engine, corrector.tokenizer, corrector.info, chosen)
        return self._opened[wish]

    def _of_language(self, language: str | None) -> Corrector:
        if None not in self._by_language:
            self._by_language[None] = self._options.open().corrector
        usual = self._by_language[None]
        if language is None or find_language(language, usual.info.language):
            return usual
        if language not in self._by_language:
            self._by_language[language] = replace(self._options, model=parse_tag(language).language).open().corrector
        return self._by_language[language]


class Checker:
    """Everything it does with a model or a `Document` happens on its one thread."""

    def __init__(self, correctors: Correctors) -> None:
        self._correctors = correctors
        self._thread = ThreadPoolExecutor(1, "redraft-check")
        self._documents: dict[str, tuple[Document, Wanted]] = {}

    async def check(self, wanted: Wanted) -> AsyncIterator[Progress]:
        """What was found so far, at last all of it. Whoever stops listening stops the work.

        Raises a `RedraftError` where the model cannot be opened.
        """
        listening = True
        loop = asyncio.get_running_loop()
        try:
            work = await loop.run_in_executor(self._thread, self._begin, wanted, lambda: not listening)
            done = False
            start, pause = time.monotonic(), _REPORT_SECONDS
            while not done:
                done = await loop.run_in_executor(self._thread, work.go_on)
                if done or time.monotonic() - start > pause:
                    pause *= 2
                    yield Progress(tuple(work.notes), len(wanted.text) + 1 if done else work.reached)
        finally:
            listening = False

    def forget(self, uri: str) -> None:
        # On the thread, behind a check that may just be putting it there.
        self._thread.submit(self._documents.pop, uri, None)

    def stop(self) -> None:
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _begin(self, wanted: Wanted, is_stale: Callable[[], bool]) -> _Work:
        return _Work(self._document(wanted).check_stepwise(is_stale))

    def _document(self, wanted: Wanted) -> Document:
        """The document of an earlier check, brought up to date, so that only what changed is checked again."""
        known = self._documents.get(wanted.uri)
        if known and known[1] == replace(wanted, text=known[1].text):
            document = known[0]
            change = Change.between(document.text, wanted.text)
            if change:
                document.replace(change.span, change.new)
        else:
            document = Document(
                self._correctors.open(wanted.rules.language, wanted.rules.draft),
                wanted.text,
                format=wanted.rules.format,
                personal=Vouched(wanted.personal, wanted.rules.words),
                threshold=wanted.rules.threshold,
                kinds=wanted.rules.kinds,
            )
        self._documents[wanted.uri] = document, wanted
        return document
