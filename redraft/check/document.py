"""A document that changes: what did not change since the last check is not checked again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from threading import Lock
from typing import TypeVar

from redraft.check.corrector import Corrector, Piece, Stale, never
from redraft.check.interpreter import Solution
from redraft.check.user_rules import NOTHING, Choices, Vouching
from redraft.decode.trace import SentenceTrace
from redraft.edits.categories import rule_of
from redraft.edits.edit import Edit, Kind
from redraft.errors import InputError
from redraft.text.markup import Block, Marked, Placed, Role, read
from redraft.text.scripts import count_words
from redraft.text.span import Span, SpanSet

__all__ = ["Document", "Finding", "SentenceCheck", "Stale"]

_T = TypeVar("_T")
_FORGET_AFTER = 2
"""So many times the blocks and sentences of the document are remembered, so that undoing costs nothing either."""
_ALWAYS_REMEMBERED = 256
_CHARACTERS_A_STEP = 8
"""For each token of a batch: enough sentences that those of like length meet in one."""
_STOPS = ".!?:;…。！？：；"
_FEWEST_WORDS = 4
"""Below so many words a title or a cell says too little to be judged for more than its spelling."""


@dataclass(frozen=True, slots=True)
class Finding:
    """An edit at its place in the source of the document, and the sentence it was found in."""

    edit: Edit
    sentence: Span
    rule: str


@dataclass(frozen=True, slots=True)
class SentenceCheck:
    """One sentence of the document, at its place in the source, and what was found in it."""

    span: Span
    text: str
    """As the model read it."""
    findings: tuple[Finding, ...]
    trace: SentenceTrace

    def shift(self, by: int) -> SentenceCheck:
        """The same where the text before it is so much longer."""
        if not by:
            return self
        span = self.span.shift(by)
        findings = tuple(
            Finding(replace(found.edit, span=found.edit.span.shift(by)), span, found.rule) for found in self.findings
        )
        return SentenceCheck(span, self.text, findings, self.trace)


@dataclass(frozen=True, slots=True)
class _Solved:
    """The sentences of a block and what the model makes of them."""

    pieces: list[Piece]
    solutions: list[Solution]


@dataclass(frozen=True, slots=True)
class _Checked:
    """What is shown of it to whom; places count from the start of the block."""

    solved: _Solved
    choices: Choices
    sentences: tuple[SentenceCheck, ...]


class Document:
    """A text in some format, edited at offsets (code points) and checked again after each edit.

    `replace` may be called from one thread while others check: a check of an older version raises `Stale`.
    """

    def __init__(
        self,
        corrector: Corrector,
        text: str | Marked = "",
        *,
        format: str = "plain",
        personal: Vouching | None = None,
        threshold: float | None = None,
        kinds: Container[Kind] | None = None,
        ignored_kinds: Container[Kind] = frozenset(),
    ) -> None:
        """`text` may be `Marked` already, as a client annotated it; replaced text is then read in `format`."""
        self.corrector = corrector
        self.format = format
        self._personal = personal
        self._threshold = threshold
        self._kinds = kinds
        self._ignored_kinds = ignored_kinds
        self._lock = Lock()
        self._text = text.source if isinstance(text, Marked) else text
        self._marked = text if isinstance(text, Marked) else None
        """None until somebody asks: between two checks there may be many edits."""
        self._version = 0
        self._checked: OrderedDict[Block, _Checked] = OrderedDict()
        self._solutions: OrderedDict[str, Solution] = OrderedDict()

    @property
    def text(self) -> str:
        return self._text

    @property
    def version(self) -> int:
        """How often the text was replaced."""
        return self._version

    def replace(self, span: Span, new: str) -> None:
        """Puts `new` in the place of the text at `span`."""
        with self._lock:
            text = self._text
            if span.end > len(text):
                raise InputError(
                    f"the document ends at {len(text)}; nothing can be replaced at {span.start}–{span.end}"
                )
            self._text = text[: span.start] + new + text[span.end :]
            self._marked = None
            self._version += 1

    def replace_all(self, text: str) -> None:
        with self._lock:
            self._text, self._marked = text, None
            self._version += 1

    def check(self, is_stale: Callable[[], bool] = never) -> tuple[Finding, ...]:
        """What is to be mended, in order. Raises `Stale` when the text changes meanwhile or `is_stale` says so."""
        return tuple(
            finding
            for placed, sentences in self._check(is_stale)
            for sentence in sentences
            if sentence.findings
            for finding in sentence.shift(placed.start).findings
        )

    def check_stepwise(self, is_stale: Callable[[], bool] = never, step: int | None = None) -> Iterator[SentenceCheck]:
        """The sentences in order, each as soon as it is done. Raises `Stale` as `check` does.

        They are decoded `step` characters at a time: more take less time in all, since sentences of like length meet in
        the decoder's batches, but the first comes later.
        """
        for placed, sentences in self._check(is_stale, step):
            yield from (sentence.shift(placed.start) for sentence in sentences)

    def _check(
        self, is_stale: Callable[[], bool], step: int | None = None
    ) -> Iterator[tuple[Placed, Sequence[SentenceCheck]]]:
        """Blocks with their sentences; a long block comes several times, each time with the next of its sentences."""
        with self._lock:
            marked = self._marked = self._marked or read(self._text, self.format)
            version = self._version

        def stale() -> bool:
            return self._version != version or is_stale()

        choices = self._personal.choices() if self._personal else NOTHING
        most = step or _CHARACTERS_A_STEP * self.corrector.options.batch_tokens
        count = 0
        for group in _in_steps(marked.blocks, self._block_cost, most):
            if stale():
                raise Stale
            for placed, sentences in self._check_group(group, choices, stale, most):
                count += len(sentences)
                yield placed, sentences
        self._forget(len(marked.blocks), count)

    def trace(self, offset: int) -> SentenceTrace | None:
        """How the sentence at an offset of the text was decoded; None if there is none."""
        at = Span(offset, offset)
        return next((found.trace for found in self.check_stepwise() if found.span.contains(at)), None)

    def _check_group(
        self, group: Sequence[Placed], choices: Choices, is_stale: Callable[[], bool], most: int
    ) -> Iterator[tuple[Placed, Sequence[SentenceCheck]]]:
        alone = group[0]
        if len(group) == 1 and len(alone.block.text) > most and alone.block not in self._checked:
            for sentences in self._check_long(alone.block, choices, is_stale, most):
                yield alone, sentences
        else:
            checked = self._check_blocks([placed.block for placed in group], choices, is_stale)
            for placed in group:
                yield placed, checked[placed.block].sentences

    def _check_long(
        self, block: Block, choices: Choices, is_stale: Callable[[], bool], most: int
    ) -> Iterator[tuple[SentenceCheck, ...]]:
        """The sentences of a block, a few at a time."""
        solved = _Solved(self.corrector.cut(block.text, block.wrapped), [])
        shields = self.corrector.shields(block.text, choices.words)
        checked: list[SentenceCheck] = []
        for pieces in _in_steps(solved.pieces, self._sentence_cost, most):
            if is_stale():
                raise Stale
            solutions = self._solve([piece.spaced.text for piece in pieces], is_stale)
            part = _Solved(pieces, [solutions[piece.spaced.text] for piece in pieces])
            sentences = self._judge(block, part, choices, shields)
            solved.solutions.extend(part.solutions)
            checked.extend(sentences)
            yield sentences
        self._remember(block, _Checked(solved, choices, tuple(checked)))

    def _block_cost(self, placed: Placed) -> int:
        return 0 if placed.block in self._checked else len(placed.block.text)

    def _sentence_cost(self, piece: Piece) -> int:
        return 0 if piece.spaced.text in self._solutions else len(piece.spaced.text)

    def _check_blocks(
        self, blocks: Iterable[Block], choices: Choices, is_stale: Callable[[], bool]
    ) -> dict[Block, _Checked]:
        checked: dict[Block, _Checked] = {}
        cut: dict[Block, list[Piece]] = {}
        for block in blocks:
            with self._lock:
                known = self._checked.get(block)
                if known is not None:
                    self._checked.move_to_end(block)
            if known is None:
                cut.setdefault(block, self.corrector.cut(block.text, block.wrapped))
            elif known.choices is choices:
                checked[block] = known
            else:
                checked[block] = self._judge_all(block, known.solved, choices)
        solutions = self._solve([piece.spaced.text for pieces in cut.values() for piece in pieces], is_stale)
        for block, pieces in cut.items():
            solved = _Solved(pieces, [solutions[piece.spaced.text] for piece in pieces])
            checked[block] = self._judge_all(block, solved, choices)
        return checked

    def _solve(self, sentences: Sequence[str], is_stale: Callable[[], bool]) -> dict[str, Solution]:
        """What the corrector makes of sentences this document did not have before, and what it made of the others.

        The corrector remembers sentences too, but shares its memory between all documents.
        """
        with self._lock:
            known = {sentence: self._solutions[sentence] for sentence in sentences if sentence in self._solutions}
        new = [sentence for sentence in sentences if sentence not in known]
        solved = known | (self.corrector.solve(new, is_stale) if new else {})
        with self._lock:
            for sentence, solution in solved.items():
                self._solutions[sentence] = solution
                self._solutions.move_to_end(sentence)
        return solved

    def _judge_all(self, block: Block, solved: _Solved, choices: Choices) -> _Checked:
        checked = _Checked(solved, choices, self._judge(block, solved, choices))
        self._remember(block, checked)
        return checked

    def _remember(self, block: Block, checked: _Checked) -> None:
        with self._lock:
            self._checked[block] = checked

    def _judge(
        self, block: Block, solved: _Solved, choices: Choices, shields: SpanSet | None = None
    ) -> tuple[SentenceCheck, ...]:
        """Leaves out what the block's role, its markup, the settings or the person's choices rule out."""
        placed = self.corrector.place(
            block.text, solved.pieces, solved.solutions, choices.words, self._threshold, shields
        )
        sentences: list[SentenceCheck] = []
        for piece, solution, edits in zip(solved.pieces, solved.solutions, placed, strict=True):
            sentence = block.cover(piece.span)
            findings: list[Finding] = []
            for edit in edits:
                restored = _restore(block, edit) if self._wants(edit) and not _is_uncalled_for(block, edit) else None
                # What was shown is what people ignore, not the longer edit that markup cut down.
                if restored is not None and choices.allows(restored, piece.spaced.text):
                    findings.append(Finding(restored, sentence, rule_of(edit.kind)))
            sentences.append(SentenceCheck(sentence, piece.spaced.text, tuple(findings), solution.trace))
        return tuple(sentences)

    def _wants(self, edit: Edit) -> bool:
        return (self._kinds is None or edit.kind in self._kinds) and edit.kind not in self._ignored_kinds

    def _forget(self, blocks: int, sentences: int) -> None:
        with self._lock:
            while len(self._checked) > max(_ALWAYS_REMEMBERED, _FORGET_AFTER * blocks):
                self._checked.popitem(last=False)
            while len(self._solutions) > max(_ALWAYS_REMEMBERED, _FORGET_AFTER * sentences):
                self._solutions.popitem(last=False)


def _restore(block: Block, edit: Edit) -> Edit | None:
    """The edit of the block's text as an edit of its source; None if that would change markup."""
    span = block.restore(edit.span)
    if span is None:
        edit = _trim(edit)
        span = block.restore(edit.span)
    return None if span is None else replace(edit, span=span)


def _trim(edit: Edit) -> Edit:
    """Without what its source and its replacement begin and end with alike."""
    before, after = edit.source, edit.replacement
    start = 0
    while start < min(len(before), len(after)) and before[start] == after[start]:
        start += 1
    end = 0
    while end < min(len(before), len(after)) - start and before[-1 - end] == after[-1 - end]:
        end += 1
    span = Span(edit.span.start + start, edit.span.end - end)
    return replace(
        edit, span=span, source=before[start : len(before) - end], replacement=after[start : len(after) - end]
    )


def _is_uncalled_for(block: Block, edit: Edit) -> bool:
    """Does the edit answer to markup, or make a sentence of what need not be one?"""
    if {edit.source.casefold(), edit.replacement.casefold()} == {"a", "an"}:
        # Nobody knows how the code behind it is pronounced.
        return block.is_markup(edit.span.end + 1)
    return block.role is not Role.PARAGRAPH and edit.kind is not Kind.SPELLING and _completes(block, edit)


def _completes(block: Block, edit: Edit) -> bool:
    """Would the edit give a title, an item or a cell what only whole sentences need: a start, a verb, an end?"""
    if count_words(block.text) < _FEWEST_WORDS:
        return True
    is_last = not block.text[edit.span.end :].strip()
    if is_last and edit.replacement.rstrip(_STOPS) == edit.source.rstrip(_STOPS):
        return True
    is_first = block.opens_at(edit.span.start)
    if edit.source.casefold() == edit.replacement.casefold():
        return is_first or block.role is Role.TITLE or block.text[: edit.span.start].rstrip().endswith(":")
    return is_first and edit.kind is not Kind.REDUNDANCY


def _in_steps(items: Iterable[_T], cost: Callable[[_T], int], most: int) -> Iterator[list[_T]]:
    """Items in order, so few at a time that neither the first answers nor a newer version wait long.

    What is known costs nothing; what costs too much even alone stands alone.
    """
    step: list[_T] = []
    spent = 0
    for item in items:
        price = cost(item)
        if step and spent + price > most:
            yield step
            step, spent = [], 0
        step.append(item)
        spent += price
    if step:
        yield step
