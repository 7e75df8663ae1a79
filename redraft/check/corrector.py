"""Text in, corrections out."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import chain
from threading import Lock

from redraft.check.interpreter import STAND_IN, Interpreter, Reading, Solution, Suggestion
from redraft.decode.loop import DecodeOptions, decode_batch
from redraft.decode.stepper import Engine
from redraft.decode.trace import SentenceTrace, Trace
from redraft.edits.edit import Edit, Kind, apply
from redraft.errors import ConfigError
from redraft.model.folder import ModelInfo
from redraft.text.chinese_characters import simplify
from redraft.text.dialects import Dialect, are_variants, respell
from redraft.text.protect import find_protected
from redraft.text.scripts import can_read, foreign_words
from redraft.text.sentences import split, split_clauses, strip_signs
from redraft.text.spacing import Spaced, normalize
from redraft.text.span import Span, SpanSet
from redraft.tokens.tokenizer import Tokenizer

_SURROGATE = re.compile("[\ud800-\udfff]")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f]")
_SPACES = re.compile(r"\s+")
_WORD = re.compile(r"\S+")
_WIDTHS = {0x3000: " ", 0x3002: ".", 0xFF61: ".", **{point: chr(point - 0xFEE0) for point in range(0xFF01, 0xFF5F)}}
"""Full-width characters to half-width ones; the full stop of Chinese is one of them."""
_WINDOW_CHARACTERS = 1 << 16
_OWN = frozenset({Kind.SPELLING, Kind.CASING, Kind.AGREEMENT, Kind.VERB_FORM})
"""What is wrong with a word whatever may stand between it and the next."""


@dataclass(frozen=True)
class Companion:
    """A corrector of another language, opened when the first sentence comes for it."""

    language: str
    open: Callable[[], Corrector]
    advise: Callable[[], float] = float
    """Says what `threshold` its corrector will have, for those who do not wait until it is open."""

    @property
    def threshold(self) -> float:
        return self.advise()

    @cached_property
    def corrector(self) -> Corrector:
        return self.open()


@dataclass(frozen=True, slots=True)
class CorrectorOptions:
    """What may be chosen when a corrector is made."""

    decode: DecodeOptions = field(default_factory=DecodeOptions)
    threshold: float = 0.0
    """Edits the model is less sure of are left out."""
    batch_tokens: int = 128
    """Sentences are decoded side by side as long as they and their padding fit into so many tokens. A CPU needs few;
    more only add padding, and rows that wait for others to end."""
    dialect: Dialect | None = None
    """Of words that are spelt in two ways, which one is right; both, until one is chosen."""
    cached_sentences: int = 4096
    """How many sentences are remembered, so that a text that changes a little is not decoded anew."""
    companions: tuple[Companion, ...] = ()
    """Who corrects the sentences that the model cannot read, because they are in another script."""

    def __post_init__(self) -> None:
        if not 0 <= self.threshold <= 1:
            raise ConfigError(f"threshold must lie between 0 and 1, not {self.threshold}")
        if self.batch_tokens < 1 or self.cached_sentences < 0:
            raise ConfigError("batch_tokens must be at least 1 and cached_sentences at least 0")


@dataclass(frozen=True, slots=True)
class Correction:
    """A text and what Redraft makes of it; `apply(source, edits) == text`."""

    source: str
    text: str
    edits: tuple[Edit, ...]
    sentences: tuple[Span, ...]
    """The stretches of the source that were corrected one by one."""
    trace: Trace


@dataclass(frozen=True, slots=True)
class Piece:
    """What the model sees at once: a sentence, or a part of one that is too long."""

    span: Span
    spaced: Spaced
    opens: bool
    """Does a sentence begin with it?"""
    closes: bool
    """Does a sentence end with it?"""
    signed: bool = False
    """Does an emoji follow, which stands for a full stop?"""

    def allows(self, edit: Edit) -> bool:
        """Not at a cut: there the model sees a sentence begin or end where none does, and writes capitals and stops.

        Nor, mostly, beside an emoji, which it does not see, and which may stand for a word: I ❤ tea.
        """
        at_start, at_end = edit.span.start <= self.span.start, edit.span.end >= self.span.end
        adds_stop = self.signed and edit.span.start >= self.span.end
        needs_word = self._is_beside_emoji(edit.span) and not (edit.source and edit.replacement and edit.kind in _OWN)
        return (self.opens or not at_start) and (self.closes or not at_end) and not adds_stop and not needs_word

    def _is_beside_emoji(self, span: Span) -> bool:
        own = span.shift(-self.span.start)
        return any(hidden.start <= own.end and own.start <= hidden.end for hidden in self.spaced.hidden)


class Stale(Exception):  # noqa: N818 - nothing went wrong
    """Nobody waits for this answer any more."""


def never() -> bool:
    return False


class Corrector:
    """Corrects texts with one model on one engine. Safe to use from several threads; they take turns at the engine."""

    def __init__(
        self, engine: Engine, tokenizer: Tokenizer, info: ModelInfo, options: CorrectorOptions | None = None
    ) -> None:
        self.engine = engine
        self.tokenizer = tokenizer
        self.info = info
        self.options = options or CorrectorOptions()
        self._interpreter = Interpreter(tokenizer, info)
        self._solutions: OrderedDict[str, Solution] = OrderedDict()
        self._lock = Lock()
        # The target may be longer than its source: a third of what the model takes is left for that.
        self._longest = max(1, engine.max_tokens * 2 // 3)

    @property
    def languages(self) -> tuple[str, ...]:
        """What is corrected: the model's language, and those of its companions."""
        return self.info.language, *(companion.language for companion in self.options.companions)

    def correct(self, text: str, dictionary: Container[str] = frozenset()) -> Correction:
        """Corrects one text. Words of the dictionary are left as they are."""
        return next(self.pipe([text], dictionary))

    def pipe(
        self, texts: Iterable[str], dictionary: Container[str] = frozenset(), window: int = 256
    ) -> Iterator[Correction]:
        """Corrects texts in order, up to `window` at a time, so that sentences of like length share decoder calls.

        No more is read ahead and held than that, nor than some thousands of characters: texts may come without end.
        """
        for batch in _windows(texts, window):
            pieces = [self.cut(text) for text in batch]
            solutions = self.solve(piece.spaced.text for cut in pieces for piece in cut)
            for text, cut in zip(batch, pieces, strict=True):
                solved = [solutions[piece.spaced.text] for piece in cut]
                edits = tuple(chain.from_iterable(self.place(text, cut, solved, dictionary)))
                trace = Trace(tuple(solution.trace for solution in solved))
                yield Correction(text, apply(text, edits), edits, tuple(piece.span for piece in cut), trace)

    def cut(self, text: str, wrapped: bool = False) -> list[Piece]:
        """The sentences of a text; where `wrapped`, a line end is a mere space unless a blank line follows."""
        # A lone surrogate has no UTF-8 form; its stand-in is as long, so that every offset holds.
        clean = _SURROGATE.sub(STAND_IN, text)
        found = []
        for sentence in split(clean, wrapped):
            body = strip_signs(sentence.of(clean)).shift(sentence.start)
            words = body.of(clean)
            spans = [Span(0, len(words))] if self._fits(words) else split_clauses(words, self._fits)
            for span in spans:
                opens, closes = span == spans[0], span == spans[-1]
                signed = closes and body.end < sentence.end
                piece = Piece(span.shift(body.start), normalize(span.of(words)), opens, closes, signed)
                if piece.spaced.text:
                    found.append(piece)
        return found

    def _fits(self, text: str) -> bool:
        """Does the model take so much text at once? The bytes tell already, if they are very few or very many."""
        reader = self._reader(text)
        if reader is not self:
            return reader._fits(text)
        size = len(text.encode())
        if not self._longest < size <= self._longest * self.tokenizer.longest_token:
            return size <= self._longest
        return len(self.tokenizer.encode(text)) <= self._longest

    def solve(self, sentences: Iterable[str], is_stale: Callable[[], bool] = never) -> dict[str, Solution]:
        """What the model makes of normalized sentences. Raises `Stale` between two batches if nobody waits any more.

        What was decoded until then is remembered. Other threads get their turn between batches too.
        """
        sentences = dict.fromkeys(sentences)
        own = dict.fromkeys(sentence for sentence in sentences if can_read(self.info.language, sentence))
        solved = self._hand_over([sentence for sentence in sentences if sentence not in own], is_stale)
        missing: list[str] = []
        with self._lock:
            for sentence in own:
                known = self._solutions.get(sentence)
                if known is None:
                    missing.append(sentence)
                else:
                    self._solutions.move_to_end(sentence)
                    solved[sentence] = known
        readings = [self._interpreter.read(sentence) for sentence in missing]
        encoded = self.tokenizer.encode_batch([reading.seen for reading in readings])
        order = sorted(range(len(missing)), key=lambda index: len(encoded[index]))
        for batch in self._batches(order, encoded):
            with self._lock:
                if is_stale():
                    raise Stale
                for index, solution in self._decode(batch, readings, encoded):
                    solved[missing[index]] = self._solutions[missing[index]] = solution
                while len(self._solutions) > self.options.cached_sentences:
                    self._solutions.popitem(last=False)
        return solved

    def _hand_over(self, sentences: Collection[str], is_stale: Callable[[], bool]) -> dict[str, Solution]:
        """What the companions make of sentences in other scripts; those that nobody reads stay as they are."""
        solved = dict.fromkeys(sentences, Solution((), SentenceTrace("", "", self.options.decode.policy, (), 0, 0)))
        for companion in self.options.companions:
            theirs = [sentence for sentence in sentences if self._companion(sentence) is companion]
            if theirs:
                solved |= companion.corrector.solve(theirs, is_stale)
        return solved

    def _reader(self, sentence: str) -> Corrector:
        """Who corrects a sentence: this one, also if nobody can."""
        if not self.options.companions or can_read(self.info.language, sentence):
            return self
        companion = self._companion(sentence)
        return companion.corrector if companion else self

    def _companion(self, sentence: str) -> Companion | None:
        """Who reads a sentence that this one does not."""
        return next((other for other in self.options.companions if can_read(other.language, sentence)), None)

    def drafting(self, policy: str) -> Corrector:
        """The same with another draft policy, its companions too. It remembers nothing, so that it always decodes."""
        companions = tuple(
            Companion(other.language, partial(_drafting, other, policy), other.advise)
            for other in self.options.companions
        )
        decode = replace(self.options.decode, policy=policy)
        options = replace(self.options, decode=decode, cached_sentences=0, companions=companions)
        return Corrector(self.engine, self.tokenizer, self.info, options)

    def _decode(
        self, batch: Sequence[int], readings: Sequence[Reading], encoded: Sequence[Sequence[int]]
    ) -> Iterator[tuple[int, Solution]]:
        sources = [encoded[index] for index in batch]
        decoded = decode_batch(self.engine, sources, self.tokenizer, self.options.decode)
        for index, result in zip(batch, decoded, strict=True):
            yield index, self._interpreter.interpret(readings[index], result, self.options.decode.policy)

    def _batches(self, order: Sequence[int], encoded: Sequence[Sequence[int]]) -> Iterator[list[int]]:
        batch: list[int] = []
        for index in order:
            # Sorted by length: the newest is the longest, and all others are padded to it.
            if batch and (len(batch) + 1) * (len(encoded[index]) + 1) > self.options.batch_tokens:
                yield batch
                batch = []
            batch.append(index)
        if batch:
            yield batch

    def place(
        self,
        text: str,
        pieces: Sequence[Piece],
        solutions: Sequence[Solution],
        dictionary: Container[str] = frozenset(),
        threshold: float | None = None,
        shields: SpanSet | None = None,
    ) -> list[list[Edit]]:
        """The edits of each piece, at their places in the text, without those that may not or need not be made."""
        placed: list[list[Edit]] = []
        floor = 0
        for piece, solution in zip(pieces, solutions, strict=True):
            edits: list[Edit] = []
            placed.append(edits)
            if not solution.suggestions:
                continue
            shields = shields or self.shields(text, dictionary)
            reader = self._reader(piece.spaced.text)
            least = reader.options.threshold if threshold is None else threshold
            mentioned = _foreign(text, piece, reader.info.language)
            for suggestion in solution.suggestions:
                edit = _place(text, piece, suggestion, floor)
                doubtful = edit.confidence < least or self._is_taste(edit)
                untouchable = shields.overlap(edit.span) or mentioned.overlap(edit.span)
                if piece.allows(edit) and not (doubtful or untouchable):
                    edits.append(edit)
                    floor = edit.span.end
        return placed

    def shields(self, text: str, dictionary: Container[str] = frozenset()) -> SpanSet:
        """What no edit may touch, for `place`; control characters too, and words with a lone surrogate.

        Nobody sees the former, and for the latter the model saw a stand-in.
        """
        shields = [shield.span for shield in find_protected(text, dictionary)]
        shields += [Span(*control.span()) for control in _CONTROL.finditer(text)]
        if _SURROGATE.search(text):
            shields += [Span(*word.span()) for word in _WORD.finditer(text) if _SURROGATE.search(word.group())]
        return SpanSet(shields)

    def _is_taste(self, edit: Edit) -> bool:
        """Does the edit change nothing, or only the country, how wide the marks are, or the form of the characters?"""
        if not are_variants(edit.source, edit.replacement):
            before, after = (simplify(text).translate(_WIDTHS) for text in (edit.source, edit.replacement))
            return before == after
        dialect = self.options.dialect
        return dialect is None or respell(edit.replacement, dialect) is not None


def _drafting(companion: Companion, policy: str) -> Corrector:
    return companion.corrector.drafting(policy)


def _windows(texts: Iterable[str], most: int) -> Iterator[list[str]]:
    """Runs of texts, each up to so many, and no longer than makes them worth decoding together."""
    window: list[str] = []
    characters = 0
    for text in texts:
        window.append(text)
        characters += len(text)
        if len(window) >= most or characters >= _WINDOW_CHARACTERS:
            yield window
            window, characters = [], 0
    if window:
        yield window


def _foreign(text: str, piece: Piece, language: str) -> SpanSet:
    """The words of a piece that its language only mentions: they are not the model's to mend."""
    return SpanSet([span.shift(piece.span.start) for span in foreign_words(piece.span.of(text), language)])


def _place(text: str, piece: Piece, suggestion: Suggestion, floor: int) -> Edit:
    """The suggestion as an edit of the whole text; nothing before `floor` or the sentence is touched."""
    span = piece.spaced.restore(suggestion.change.source).shift(piece.span.start)
    span, replacement = _keep_line_breaks(text, span, suggestion.replacement, max(floor, piece.span.start))
    return Edit(span, span.of(text), replacement, suggestion.kind, suggestion.confidence, suggestion.explanation)


def _keep_line_breaks(text: str, span: Span, replacement: str, floor: int) -> tuple[Span, str]:
    """White space inside an edit stays what it was in the text: the model saw each run of it as one space."""
    runs = _SPACES.findall(span.of(text))
    if all(run == " " for run in runs):
        return span, replacement
    spaces = iter(runs)
    kept = _SPACES.sub(lambda space: next(spaces, space.group()), replacement)
    lost = "".join(run for run in spaces if run.strip(" "))
    if lost and not kept and span.start > floor and text[span.start - 1] == " ":
        # A deleted word leaves its line break behind, and no space before it.
        span = Span(span.start - 1, span.end)
    return span, kept + lost
