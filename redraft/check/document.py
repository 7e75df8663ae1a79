"""A document that changes: what did not change since the last check is not checked again."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from threading import Lock

from redraft.check.alternatives import Alternative, collect
from redraft.check.corrector import Corrector
from redraft.check.interpreter import Solution
from redraft.check.options import CheckOptions
from redraft.check.placing import Piece, place_edits, protected_spans
from redraft.check.stale import Stale
from redraft.check.unchecked import Unchecked
from redraft.check.user_rules import UserRules
from redraft.chunks import group_by_cost
from redraft.decode.trace import SentenceTrace
from redraft.edits.categories import rule_of
from redraft.edits.edit import Edit, Kind
from redraft.edits.fragments import ends_sentence, suits_fragment
from redraft.errors import InputError
from redraft.text.dialects import Dialect
from redraft.text.formats.masks import STAND_IN
from redraft.text.markup import Block, Marked, Placed, Role, read
from redraft.text.span import Span, SpanSet

_CACHED_VERSIONS = 2
"""The block cache holds this many times the blocks of the document, so that undoing a change costs nothing either."""
_MIN_CACHED = 256
_CHARACTERS_A_STEP = 8
"""For each token of a batch: enough sentences that those of similar length share a batch."""
_STAND_IN = re.compile(rf"\b{STAND_IN}\b")
_STOPS = ".!?:;…。！？：；"
_LOOK_BACK = 40
"""Characters before an edit in which a colon is looked for."""
_FEWEST_WORDS = 4
"""Shorter titles and cells say too little to be checked for more than spelling."""


@dataclass(frozen=True, slots=True)
class Finding:
    """An edit at its place in the source of the document, and the sentence it was found in."""

    edit: Edit
    sentence: Span
    rule: str
    alternatives: tuple[Alternative, ...] = ()
    """The replacement of the edit and up to two others for the same span; empty unless the options ask for them."""


@dataclass(frozen=True, slots=True)
class SentenceCheck:
    """One sentence of the document, at its place in the source, and what was found in it."""

    span: Span
    text: str
    """As the model read it."""
    findings: tuple[Finding, ...]
    trace: SentenceTrace
    unchecked: Unchecked | None = None
    """The reason, if no model could check it."""

    def shift(self, by: int) -> SentenceCheck:
        """The same sentence, `by` characters further on in the text."""
        if not by:
            return self
        span = self.span.shift(by)
        findings = tuple(
            replace(found, edit=replace(found.edit, span=found.edit.span.shift(by)), sentence=span)
            for found in self.findings
        )
        unchecked = self.unchecked and self.unchecked.shift(by)
        return SentenceCheck(span, self.text, findings, self.trace, unchecked)


@dataclass(frozen=True, slots=True)
class _Solved:
    """The sentences of a block and what the models suggest for them."""

    pieces: list[Piece]
    solutions: list[Solution]


@dataclass(frozen=True, slots=True)
class _Terms:
    """What decides, besides the block itself, which findings of a block are shown."""

    rules: UserRules
    dialect: Dialect | None

    def are(self, other: _Terms) -> bool:
        """Whether they are the same. Rules that did not change are the same object."""
        return self.rules is other.rules and self.dialect is other.dialect


@dataclass(frozen=True, slots=True)
class _CheckedBlock:
    """A block with the findings that are shown; offsets count from the start of the block."""

    solved: _Solved
    terms: _Terms
    sentences: tuple[SentenceCheck, ...]


class Document:
    """A text in some format, edited at offsets (code points) and checked again after each edit.

    `replace` may be called from one thread while others check: a check of an older version raises `Stale`.
    """

    def __init__(self, corrector: Corrector, text: str | Marked = "", options: CheckOptions | None = None) -> None:
        """Made by `CheckSession.open`, which gives the corrector the language, dialect and threshold of the options.

        `text` may be `Marked` already, as a client annotated it; replaced text is then read in the options' format.
        """
        self.options = options or CheckOptions()
        self._corrector = corrector
        self._lock = Lock()
        self._text = text.source if isinstance(text, Marked) else text
        self._marked = text if isinstance(text, Marked) else None
        """None until the next check: between two checks there may be many edits."""
        self._version = 0
        self._rules: tuple[UserRules, UserRules] | None = None
        """Those of the options' source, and the same with the words of the options' dictionary."""
        # By block. Cutting a text into sentences and placing edits takes longer than looking up what was decoded, so
        # an unchanged paragraph of a long document keeps its findings.
        self._blocks: OrderedDict[Block, _CheckedBlock] = OrderedDict()

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

    def check(self, is_stale: Callable[[], bool] | None = None) -> tuple[Finding, ...]:
        """All findings, in order. Raises `Stale` when the text changes meanwhile or `is_stale` says so."""
        return tuple(
            finding
            for placed, sentences in self._check(is_stale)
            for sentence in sentences
            if sentence.findings
            for finding in sentence.shift(placed.start).findings
        )

    def check_stepwise(
        self, is_stale: Callable[[], bool] | None = None, step: int | None = None
    ) -> Iterator[SentenceCheck]:
        """The sentences in order, each as soon as it is done. Raises `Stale` as `check` does.

        They are decoded `step` characters at a time: more take less time in all, since sentences of similar length
        share the decoder's batches, but the first comes later.
        """
        for placed, sentences in self._check(is_stale, step):
            yield from (sentence.shift(placed.start) for sentence in sentences)

    def trace(self, offset: int) -> SentenceTrace | None:
        """How the sentence at an offset of the text was decoded; None if there is none."""
        at = Span(offset, offset)
        return next((found.trace for found in self.check_stepwise() if found.span.contains(at)), None)

    def alternatives(self, finding: Finding) -> tuple[Alternative, ...]:
        """Up to three replacements for a finding of the last check: its own first, then the model's next choices.

        Each replaces the same text. A finding of a rule, or of an older version of the text, has only its own.
        """
        with self._lock:
            blocks = self._marked.blocks if self._marked else ()
            before = [placed for placed in blocks if placed.start <= finding.sentence.start]
            checked = self._blocks.get(before[-1].block) if before else None
        if before and checked:
            block, solved, terms = before[-1].block, checked.solved, checked.terms
            for piece, solution, sentence in zip(solved.pieces, solved.solutions, checked.sentences, strict=True):
                if finding in sentence.shift(before[-1].start).findings:
                    edit = replace(finding.edit, span=finding.edit.span.shift(-before[-1].start))
                    return self._find_alternatives(block, piece, solution, [edit], terms)[0]
        return (Alternative(finding.edit.replacement, finding.edit.confidence),)

    def _check(
        self, is_stale: Callable[[], bool] | None, step: int | None = None
    ) -> Iterator[tuple[Placed, Sequence[SentenceCheck]]]:
        """Blocks with their sentences; a long block comes several times, each time with the next of its sentences."""
        if is_stale is not None and is_stale():
            raise Stale
        with self._lock:
            marked = self._marked = self._marked or read(self._text, self.options.format)
            version = self._version

        def stale() -> bool:
            return self._version != version or (is_stale is not None and is_stale())

        dialect = self._corrector.dialect_of(placed.block.text for placed in marked.blocks)
        terms = _Terms(self._current_rules(), dialect)
        most = step or _CHARACTERS_A_STEP * self._corrector.solver.options.batch_tokens
        # Small groups, so that the first answers come soon. What is cached costs nothing.
        for group in group_by_cost(marked.blocks, self._block_cost, most):
            if stale():
                raise Stale
            yield from self._check_group(group, terms, stale, most)
        self._trim_cache(len(marked.blocks))

    def _current_rules(self) -> UserRules:
        """The same object as before unless the rules changed: findings of cached blocks hold for one object."""
        source = self.options.rules.current()
        with self._lock:
            if self._rules is None or self._rules[0] is not source:
                self._rules = source, source.with_words(self.options.dictionary)
            return self._rules[1]

    def _check_group(
        self, group: Sequence[Placed], terms: _Terms, is_stale: Callable[[], bool], most: int
    ) -> Iterator[tuple[Placed, Sequence[SentenceCheck]]]:
        alone = group[0]
        if len(group) == 1 and len(alone.block.text) > most and alone.block not in self._blocks:
            for sentences in self._check_long(alone.block, terms, is_stale, most):
                yield alone, sentences
        else:
            checked = self._check_blocks([placed.block for placed in group], terms, is_stale)
            for placed in group:
                yield placed, checked[placed.block].sentences

    def _check_long(
        self, block: Block, terms: _Terms, is_stale: Callable[[], bool], most: int
    ) -> Iterator[tuple[SentenceCheck, ...]]:
        """The sentences of a block, a few at a time."""
        solved = _Solved(self._corrector.cut(block.text, block.wrapped, is_stale), [])
        protected = protected_spans(block.text, terms.rules.words)
        checked: list[SentenceCheck] = []
        for pieces in group_by_cost(solved.pieces, self._piece_cost, most):
            if is_stale():
                raise Stale
            part = _Solved(pieces, self._solve(pieces, is_stale))
            sentences = self._select(block, part, terms, protected)
            solved.solutions.extend(part.solutions)
            checked.extend(sentences)
            yield sentences
        self._store(block, _CheckedBlock(solved, terms, tuple(checked)))

    def _block_cost(self, placed: Placed) -> int:
        return 0 if placed.block in self._blocks else len(placed.block.text)

    def _piece_cost(self, piece: Piece) -> int:
        return 0 if self._corrector.is_cached(piece) else len(piece.spaced.text)

    def _check_blocks(
        self, blocks: Iterable[Block], terms: _Terms, is_stale: Callable[[], bool]
    ) -> dict[Block, _CheckedBlock]:
        checked: dict[Block, _CheckedBlock] = {}
        cut: dict[Block, list[Piece]] = {}
        for block in blocks:
            with self._lock:
                known = self._blocks.get(block)
                if known is not None:
                    self._blocks.move_to_end(block)
            if known is None and block in cut:
                continue
            if known is None:
                cut[block] = self._corrector.cut(block.text, block.wrapped, is_stale)
            elif known.terms.are(terms):
                checked[block] = known
            else:
                checked[block] = self._finish(block, known.solved, terms)
        solutions = iter(self._solve([piece for pieces in cut.values() for piece in pieces], is_stale))
        for block, pieces in cut.items():
            checked[block] = self._finish(block, _Solved(pieces, [next(solutions) for _ in pieces]), terms)
        return checked

    def _solve(self, pieces: Sequence[Piece], is_stale: Callable[[], bool]) -> list[Solution]:
        solutions = self._corrector.solve(pieces, is_stale)
        if not self.options.possible_errors:
            return solutions
        found = []
        for piece, solution in zip(pieces, solutions, strict=True):
            if is_stale():
                raise Stale
            found.append(self._corrector.add_possible_errors(piece, solution))
        return found

    def _finish(self, block: Block, solved: _Solved, terms: _Terms) -> _CheckedBlock:
        checked = _CheckedBlock(solved, terms, self._select(block, solved, terms))
        self._store(block, checked)
        return checked

    def _store(self, block: Block, checked: _CheckedBlock) -> None:
        with self._lock:
            self._blocks[block] = checked

    def _select(
        self, block: Block, solved: _Solved, terms: _Terms, protected: SpanSet | None = None
    ) -> tuple[SentenceCheck, ...]:
        """The findings that the block's role and markup, the options and the user rules leave."""
        placed = place_edits(block.text, solved.pieces, solved.solutions, terms.rules.words, protected, terms.dialect)
        sentences: list[SentenceCheck] = []
        for piece, solution, edits in zip(solved.pieces, solved.solutions, placed, strict=True):
            span = block.cover(piece.span)
            shown = self._show(block, piece, edits, terms)
            findings = [Finding(edit, span, rule_of(edit.kind)) for edit in shown]
            if findings and self.options.alternatives:
                alternatives = self._find_alternatives(block, piece, solution, shown, terms, protected)
                findings = [
                    replace(finding, alternatives=found) for finding, found in zip(findings, alternatives, strict=True)
                ]
            unchecked = self._corrector.find_unchecked(piece, solution, edits)
            unchecked = unchecked and replace(unchecked, span=span)
            sentences.append(SentenceCheck(span, piece.spaced.text, tuple(findings), solution.trace, unchecked))
        return tuple(sentences)

    def _show(self, block: Block, piece: Piece, edits: Iterable[Edit], terms: _Terms) -> list[Edit]:
        """The edits of a piece that are shown, at their places in the source of the block."""
        shown: list[Edit] = []
        for edit in edits:
            wanted = self.options.wants(edit) and not _is_uncalled_for(block, piece, edit)
            restored = _restore(block, edit) if wanted else None
            # People ignore the edit they were shown, not the longer one that markup cut down.
            if restored is not None and terms.rules.allows(restored, piece.spaced.text):
                shown.append(restored)
        return shown

    def _find_alternatives(
        self,
        block: Block,
        piece: Piece,
        solution: Solution,
        edits: Sequence[Edit],
        terms: _Terms,
        protected: SpanSet | None = None,
    ) -> list[tuple[Alternative, ...]]:
        """The alternatives of each edit that is shown. They pass the same filters as the model's first choice."""
        variants = self._corrector.variants(piece, solution)
        if variants and protected is None:
            protected = protected_spans(block.text, terms.rules.words)

        def place(variant: Solution) -> list[Edit]:
            placed = place_edits(block.text, [piece], [variant], terms.rules.words, protected, terms.dialect)
            return self._show(block, piece, placed[0], terms)

        return collect(edits, map(place, variants))

    def _trim_cache(self, blocks: int) -> None:
        with self._lock:
            while len(self._blocks) > max(_MIN_CACHED, _CACHED_VERSIONS * blocks):
                self._blocks.popitem(last=False)


def _restore(block: Block, edit: Edit) -> Edit | None:
    """The edit of the block's text as an edit of its source; None if that would change markup."""
    span = block.restore(edit.span)
    if span is None:
        edit = _trim(edit)
        span = block.restore(edit.span)
    return None if span is None else replace(edit, span=span)


def _trim(edit: Edit) -> Edit:
    """The edit without the beginning and the end that its source and its replacement have in common."""
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


def _is_uncalled_for(block: Block, piece: Piece, edit: Edit) -> bool:
    """Whether markup is the reason for the edit, or it makes a whole sentence of a title, an item or a cell."""
    if len(_STAND_IN.findall(edit.replacement)) > len(_STAND_IN.findall(edit.source)) and block.has_markup:
        return True
    if block.role is Role.CELL and not ends_sentence(piece.spaced.text):
        return not suits_fragment(edit)
    if {edit.source.casefold(), edit.replacement.casefold()} == {"a", "an"}:
        # How the code or formula behind it is pronounced is not known.
        return block.is_markup(edit.span.end + 1)
    is_spelling = edit.kind in (Kind.SPELLING, Kind.DIALECT)
    return block.role is not Role.PARAGRAPH and not is_spelling and _completes(block, edit)


def _completes(block: Block, edit: Edit) -> bool:
    """Whether the edit gives a title, an item or a cell what only whole sentences need: a start, a verb, an end."""
    if block.word_count < _FEWEST_WORDS:
        return True
    if block.closes_at(edit.span.end) and edit.replacement.rstrip(_STOPS) == edit.source.rstrip(_STOPS):
        return True
    is_first = block.opens_at(edit.span.start)
    if edit.source.casefold() == edit.replacement.casefold():
        before = block.text[max(0, edit.span.start - _LOOK_BACK) : edit.span.start].rstrip()
        return is_first or block.role is Role.TITLE or before.endswith(":")
    return is_first and edit.kind is not Kind.REDUNDANCY
