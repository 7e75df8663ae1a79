"""A corrector with the options of a check. Files, requests and open documents are all checked by a session."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from redraft.check.options import CheckOptions
from redraft.chunks import group_by_cost
from redraft.edits.edit import Edit, apply
from redraft.text.lines import split_lines
from redraft.text.markup import Block, Marked, Part, Placed, read_blocks

if TYPE_CHECKING:
    from redraft.check.corrector import Corrector
    from redraft.check.document import Document, Finding, SentenceCheck
    from redraft.check.unchecked import Unchecked

_GROUP_CHARACTERS = 1 << 16
"""Texts are checked together up to this length: enough to fill the decoder's batches, and little to hold in memory."""

_STEP_CHARACTERS = 1 << 13
"""Characters that are decoded between two reports of progress."""

BULK_CHARACTERS = 1 << 18
"""Both of these where the engine decodes in bulk, and what a worker of a cluster gets in one call then."""


@dataclass(frozen=True, slots=True)
class Text:
    """A text to check, such as that of a file."""

    source: str
    format: str = "plain"
    by_line: bool = False
    """Every line is a text of its own, as in a list of sentences."""
    blocks: tuple[Placed, ...] | None = None
    """The blocks of the source, where it was read already."""
    share: float = 1
    """How much the text counts in reports of progress: less than 1 for a part of a file."""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a text that can be checked by itself, and its offset in the text."""

    text: Text
    start: int


@dataclass(frozen=True, slots=True)
class CheckResult:
    """A text and what was found in it."""

    source: str
    sentences: tuple[SentenceCheck, ...]

    @property
    def findings(self) -> tuple[Finding, ...]:
        return tuple(finding for sentence in self.sentences for finding in sentence.findings)

    @property
    def edits(self) -> tuple[Edit, ...]:
        """The edits that correct the text: those of all findings but possible errors."""
        return tuple(finding.edit for finding in self.findings if finding.edit.certain)

    @property
    def text(self) -> str:
        """The corrected text."""
        return apply(self.source, self.edits)

    @property
    def unchecked(self) -> tuple[Unchecked, ...]:
        """The sentences that no model could check, with the reason."""
        return tuple(sentence.unchecked for sentence in self.sentences if sentence.unchecked)

    @property
    def calls(self) -> int:
        """Decoder calls, those for cached sentences included."""
        return sum(sentence.trace.total_calls for sentence in self.sentences)


def ignore_progress(share: float) -> None:
    """For callers that show no progress."""


class CheckSession:
    """Checks texts with one corrector and one set of options."""

    def __init__(self, corrector: Corrector, options: CheckOptions | None = None) -> None:
        self.options = options or CheckOptions()
        self.corrector = corrector.with_options(self.options)
        self._bulk_corrector = self.corrector.in_bulk()
        """For many texts."""

    def open(self, text: str | Marked = "") -> Document:
        """A document that is checked again after each change."""
        return self._open(self.corrector, text)

    def _open(self, corrector: Corrector, text: str | Marked) -> Document:
        from redraft.check.document import Document  # here, because it imports the engine's libraries

        return Document(corrector, text, self.options)

    def check(
        self, text: str | Marked, is_stale: Callable[[], bool] | None = None, step: int | None = None
    ) -> CheckResult:
        """Checks one text, `step` characters at a time. Raises `Stale` between two steps when `is_stale` says so."""
        document = self.open(text)
        return CheckResult(document.text, tuple(document.check_stepwise(is_stale, step)))

    def check_many(
        self, texts: Iterable[Text], report: Callable[[float], None] = ignore_progress
    ) -> Iterator[CheckResult]:
        """Checks texts in order; sentences of several texts share decoder calls.

        The results hold only sentences with findings and unchecked ones, since texts may be long. `report` is called
        with the share of a text that was done since the last call; the shares of a text add up to its `share`.
        """
        # Each text has a spelling of its own.
        most = BULK_CHARACTERS if self._bulk_corrector.solves_in_bulk else _GROUP_CHARACTERS
        together = group_by_cost(texts, text_cost, most)
        for group in ([text] for text in texts) if self.options.consistent else together:
            yield from self._check_group(group, report)

    def _check_group(self, texts: list[Text], report: Callable[[float], None]) -> Iterator[CheckResult]:
        """Checks texts as one document. No sentence continues in the next text, because blocks end with their text."""
        document = self._open(self._bulk_corrector, Marked("".join(text.source for text in texts), _place(texts)))
        waiting = iter(texts)
        progress = _Progress(next(waiting), 0, report)
        step = BULK_CHARACTERS if self._bulk_corrector.solves_in_bulk else _STEP_CHARACTERS
        for sentence in document.check_stepwise(step=step):
            while sentence.span.start >= progress.end:
                yield progress.finish()
                progress = _Progress(next(waiting), progress.end, report)
            progress.add(sentence)
        yield progress.finish()
        for text in waiting:
            progress = _Progress(text, progress.end, report)
            yield progress.finish()


class _Progress:
    """The sentences found so far in one text of a group, which begins at `start`."""

    def __init__(self, text: Text, start: int, report: Callable[[float], None]) -> None:
        self._source = text.source
        self._start = start
        self._report = report
        self._share = text.share
        self._reached = 0
        self._sentences: list[SentenceCheck] = []
        self.end = start + len(text.source)

    def add(self, sentence: SentenceCheck) -> None:
        own = sentence.shift(-self._start)
        if own.findings or own.unchecked:
            self._sentences.append(own)
        reached = max(self._reached, own.span.end)
        self._report(self._share * (reached - self._reached) / len(self._source))
        self._reached = reached

    def finish(self) -> CheckResult:
        self._report(self._share * (1 - self._reached / len(self._source)) if self._source else self._share)
        return CheckResult(self._source, tuple(self._sentences))


def cut(text: Text, least: int) -> Iterator[Section]:
    """The sections of a text, each as short as possible from `least` on; together they are the text.

    They hold whole blocks: in a section the same is found as in the whole text.
    """
    start = 0
    blocks: list[Placed] = []

    def section(end: int) -> Section:
        return Section(Text(text.source[start:end], text.format, text.by_line, tuple(blocks)), start)

    for placed in _blocks(text):
        if blocks and placed.start - start >= least:
            yield section(placed.start)
            start, blocks = placed.start, []
        blocks.append(Placed(placed.block, placed.start - start))
    yield section(len(text.source))


def text_cost(text: Text) -> int:
    """What a text counts where texts are checked together up to a number of characters."""
    return len(text.source) + 1  # so that empty texts count too


def _place(texts: Iterable[Text]) -> Iterator[Placed]:
    start = 0
    for text in texts:
        yield from (Placed(placed.block, placed.start + start) for placed in _blocks(text))
        start += len(text.source)


def _blocks(text: Text) -> Iterator[Placed]:
    if text.blocks is not None:
        yield from text.blocks
        return
    if not text.by_line:
        yield from read_blocks(text.source, text.format)
        return
    start = 0
    for line in split_lines(text.source):
        yield Placed(Block((Part(line),)), start)
        start += len(line)
