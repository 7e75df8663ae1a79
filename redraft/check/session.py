"""A corrector as a user has set it up: what to leave alone, which findings to show."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from redraft.edits.edit import Edit, Kind, apply
from redraft.text.lines import split_lines

if TYPE_CHECKING:
    from redraft.check.corrector import Corrector
    from redraft.check.document import Finding, SentenceCheck
    from redraft.check.user_rules import Choices, Personal, Vouching
    from redraft.text.markup import Placed

_TOGETHER = 1 << 16
"""Texts are read side by side up to so many characters: enough to fill the decoder's batches, and no more in memory."""

_AT_ONCE = 1 << 13
"""So many characters are decoded between two signs of progress."""


@dataclass(frozen=True, slots=True)
class Text:
    source: str
    format: str = "plain"
    by_line: bool = False
    """Is every line a text of its own, as in a list of sentences?"""
    blocks: tuple[Placed, ...] | None = None
    """Where the source was read already."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of a text that can be reviewed by itself, and where in the text it begins."""

    text: Text
    start: int


@dataclass(frozen=True, slots=True)
class Review:
    """A text and what was found in it."""

    source: str
    sentences: tuple[SentenceCheck, ...]
    """Those in which something was found."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        return tuple(finding for sentence in self.sentences for finding in sentence.findings)

    @property
    def edits(self) -> tuple[Edit, ...]:
        return tuple(finding.edit for finding in self.findings)

    @property
    def text(self) -> str:
        return apply(self.source, self.edits)


def unwatched(share: float) -> None:
    """Nobody asks how far the work is."""


class Vouched:
    """The choices of a person and a project, and words that a command names besides."""

    def __init__(self, personal: Personal | None = None, words: Iterable[str] = ()) -> None:
        self._personal = personal
        self._words = frozenset(words)
        self._kept: tuple[Choices, Choices] | None = None

    def choices(self) -> Choices:
        """The same object as long as nothing changes, as a document expects."""
        from redraft.check.user_rules import NOTHING, Words

        own = self._personal.choices() if self._personal else NOTHING
        if self._kept is None or self._kept[0] is not own:
            self._kept = own, replace(own, words=Words.of(own.words.written | self._words))
        return self._kept[1]


@dataclass(frozen=True, slots=True)
class Proofreader:
    corrector: Corrector
    vouched: Vouching
    kinds: frozenset[Kind] | None = None
    """None for all."""
    ignored_kinds: frozenset[Kind] = frozenset()

    def review(self, texts: Iterable[Text], watch: Callable[[float], None] = unwatched) -> Iterator[Review]:
        """Reviews texts in order; sentences of several texts share decoder calls.

        `watch` is told now and then which share of a text was done since the last time; those of a text add up to 1.
        """
        for group in _group(texts):
            yield from self._review(group, watch)

    def _review(self, texts: list[Text], watch: Callable[[float], None]) -> Iterator[Review]:
        """All texts are one document to the corrector. No sentence runs from one into the next: they end blocks."""
        from redraft.check.document import Document
        from redraft.text.markup import Marked

        whole = Marked("".join(text.source for text in texts), _place(texts))
        document = Document(
            self.corrector, whole, personal=self.vouched, kinds=self.kinds, ignored_kinds=self.ignored_kinds
        )
        waiting = iter(texts)
        progress = _Progress(next(waiting), 0, watch)
        for sentence in document.check_stepwise(step=_AT_ONCE):
            while sentence.span.start >= progress.end:
                yield progress.finish()
                progress = _Progress(next(waiting), progress.end, watch)
            progress.add(sentence)
        yield progress.finish()
        for text in waiting:
            progress = _Progress(text, progress.end, watch)
            yield progress.finish()


class _Progress:
    """One text among several that lie one behind the other, from `start` on."""

    def __init__(self, text: Text, start: int, watch: Callable[[float], None]) -> None:
        self._source = text.source
        self._start = start
        self._watch = watch
        self._reached = 0
        self._sentences: list[SentenceCheck] = []
        self.end = start + len(text.source)

    def add(self, sentence: SentenceCheck) -> None:
        own = sentence.shift(-self._start)
        if own.findings:
            self._sentences.append(own)
        reached = max(self._reached, own.span.end)
        self._watch((reached - self._reached) / len(self._source))
        self._reached = reached

    def finish(self) -> Review:
        self._watch(1 - self._reached / len(self._source) if self._source else 1)
        return Review(self._source, tuple(self._sentences))


def cut(text: Text, least: int) -> Iterator[Stretch]:
    """The stretches of a text with something to read in them, each as short as may be but not shorter than `least`.

    They hold whole blocks: what is found in a stretch is what would be found there in the whole text.
    """
    from redraft.text.markup import Placed

    def stretch(blocks: list[Placed], end: int) -> Stretch:
        start = blocks[0].start
        moved = tuple(Placed(placed.block, placed.start - start) for placed in blocks)
        return Stretch(Text(text.source[start:end], text.format, text.by_line, moved), start)

    waiting: list[Placed] = []
    for placed in _blocks(text):
        if waiting and placed.start - waiting[0].start >= least:
            yield stretch(waiting, placed.start)
            waiting = []
        waiting.append(placed)
    if waiting:
        yield stretch(waiting, len(text.source))


def _place(texts: Iterable[Text]) -> Iterator[Placed]:
    from redraft.text.markup import Placed

    start = 0
    for text in texts:
        yield from (Placed(found.block, found.start + start) for found in _blocks(text))
        start += len(text.source)


def _blocks(text: Text) -> Iterator[Placed]:
    from redraft.text.markup import Block, Part, Placed, read

    if text.blocks is not None:
        yield from text.blocks
        return
    if not text.by_line:
        yield from read(text.source, text.format).blocks
        return
    start = 0
    for line in split_lines(text.source):
        yield Placed(Block((Part(line),)), start)
        start += len(line)


def _group(texts: Iterable[Text]) -> Iterator[list[Text]]:
    group: list[Text] = []
    size = 0
    for text in texts:
        if group and size + len(text.source) >= _TOGETHER:
            yield group
            group, size = [], 0
        group.append(text)
        size += len(text.source) + 1  # empty texts take room as well
    if group:
        yield group
