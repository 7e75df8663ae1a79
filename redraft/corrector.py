"""Text in, corrections out."""

from __future__ import annotations

import re
import unicodedata
from collections import OrderedDict
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from threading import Lock

import numpy as np

from redraft.decode.loop import Decoded, DecodeOptions, decode_batch
from redraft.decode.stepper import Engine
from redraft.decode.trace import SentenceTrace, Trace, trace_sentence
from redraft.edits.align import Change, align
from redraft.edits.classify import classify
from redraft.edits.edit import Edit, Kind, apply
from redraft.edits.explain import explain
from redraft.errors import ConfigError
from redraft.model.catalogue import locate
from redraft.model.folder import ModelFolder, ModelInfo
from redraft.text.protect import protected
from redraft.text.sentences import clauses, split
from redraft.text.spacing import Spaced, normalize
from redraft.text.span import Span, SpanSet
from redraft.tokens.tokenizer import Pieces, Tokenizer

_SURROGATE = re.compile("[\ud800-\udfff]")
_STAND_IN = "\ufffd"
_SPACES = re.compile(r"\s+")
_WORD = re.compile(r"\S+")
ENGINES = ("onnx", "torch", "cuda")


@dataclass(frozen=True, slots=True)
class CorrectorOptions:
    """What may be chosen when a corrector is made."""

    decode: DecodeOptions = field(default_factory=DecodeOptions)
    min_confidence: float = 0.0
    """Edits the model is less sure of are left out."""
    batch_tokens: int = 1024
    """Sentences are decoded side by side as long as they and their padding fit into so many tokens."""
    cached_sentences: int = 4096
    """How many sentences are remembered, so that a text that changes a little is not decoded anew."""

    def __post_init__(self) -> None:
        if not 0 <= self.min_confidence <= 1:
            raise ConfigError(f"min_confidence must lie between 0 and 1, not {self.min_confidence}")
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
class Suggestion:
    """An edit inside one normalized sentence, before it has a place in a text."""

    change: Change
    replacement: str
    kind: Kind
    confidence: float
    explanation: str


@dataclass(frozen=True, slots=True)
class Solution:
    """What the model made of one normalized sentence."""

    suggestions: tuple[Suggestion, ...]
    trace: SentenceTrace


@dataclass(frozen=True, slots=True)
class Piece:
    """What the model sees at once: a sentence, or a part of one that is too long."""

    span: Span
    spaced: Spaced
    opens: bool
    """Does a sentence begin with it?"""
    closes: bool
    """Does a sentence end with it?"""

    def allows(self, edit: Edit) -> bool:
        """Not at a cut: there the model sees a sentence begin or end where none does, and writes capitals and stops."""
        at_start, at_end = edit.span.start <= self.span.start, edit.span.end >= self.span.end
        return (self.opens or not at_start) and (self.closes or not at_end)


class Corrector:
    """Corrects texts with one model on one engine. Safe to use from several threads; they take turns at the engine."""

    def __init__(
        self, engine: Engine, tokenizer: Tokenizer, info: ModelInfo, options: CorrectorOptions | None = None
    ) -> None:
        self.engine = engine
        self.tokenizer = tokenizer
        self.info = info
        self.options = options or CorrectorOptions()
        self._solutions: OrderedDict[str, Solution] = OrderedDict()
        self._lock = Lock()
        # The target may be longer than its source: a third of what the model takes is left for that.
        self._longest = max(1, engine.max_tokens * 2 // 3)

    def correct(self, text: str, dictionary: Container[str] = frozenset()) -> Correction:
        """Corrects one text. Words of the dictionary are left as they are."""
        return next(self.pipe([text], dictionary))

    def pipe(
        self, texts: Iterable[str], dictionary: Container[str] = frozenset(), window: int = 64
    ) -> Iterator[Correction]:
        """Corrects texts in order, up to `window` at a time, so that their sentences share decoder calls."""
        remaining = iter(texts)
        while batch := list(islice(remaining, window)):
            pieces = [self._cut(text) for text in batch]
            solutions = self._solve(piece.spaced.text for cut in pieces for piece in cut)
            for text, cut in zip(batch, pieces, strict=True):
                solved = [(piece, solutions[piece.spaced.text]) for piece in cut]
                yield self._assemble(text, solved, dictionary)

    def _cut(self, text: str) -> list[Piece]:
        # A lone surrogate has no UTF-8 form; its stand-in is as long, so that every offset holds.
        clean = _SURROGATE.sub(_STAND_IN, text)
        found = []
        for sentence in split(clean):
            words = sentence.of(clean)
            spans = [Span(0, len(words))] if self._fits(words) else clauses(words, self._fits)
            for span in spans:
                piece = Piece(
                    span.shift(sentence.start), normalize(span.of(words)), span == spans[0], span == spans[-1]
                )
                if piece.spaced.text:
                    found.append(piece)
        return found

    def _fits(self, text: str) -> bool:
        """Does the model take so much text at once? The bytes tell already, if they are very few or very many."""
        size = len(text.encode())
        if not self._longest < size <= self._longest * self.tokenizer.longest_token:
            return size <= self._longest
        return len(self.tokenizer.encode(text)) <= self._longest

    def _solve(self, sentences: Iterable[str]) -> dict[str, Solution]:
        wanted = dict.fromkeys(sentences)
        solved: dict[str, Solution] = {}
        with self._lock:
            for sentence in wanted:
                known = self._solutions.get(sentence)
                if known is not None:
                    self._solutions.move_to_end(sentence)
                    solved[sentence] = known
            missing = [sentence for sentence in wanted if sentence not in solved]
            for sentence, solution in zip(missing, self._decode(missing), strict=True):
                solved[sentence] = self._solutions[sentence] = solution
            while len(self._solutions) > self.options.cached_sentences:
                self._solutions.popitem(last=False)
        return solved

    def _decode(self, sentences: Sequence[str]) -> list[Solution]:
        encoded = self.tokenizer.encode_batch(sentences)
        solutions: dict[int, Solution] = {}
        order = sorted(range(len(sentences)), key=lambda index: len(encoded[index]))
        for batch in self._batches(order, encoded):
            readable = [index for index in batch if _is_readable(sentences[index])]
            sources = [encoded[index] for index in readable]
            decoded = decode_batch(self.engine, sources, self.tokenizer, self.options.decode) if sources else []
            for index, result in zip(readable, decoded, strict=True):
                solutions[index] = self._interpret(sentences[index], result)
        unread = Solution((), SentenceTrace("", "", self.options.decode.policy, (), 0, 0))
        return [solutions.get(index, unread) for index in range(len(sentences))]

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

    def _interpret(self, sentence: str, decoded: Decoded) -> Solution:
        pieces = self.tokenizer.pieces(decoded.ids)
        # A decoding that ran into the length limit, or wrote what is not UTF-8, is no answer: the sentence stays.
        usable = decoded.finished and pieces.text.count(_STAND_IN) <= sentence.count(_STAND_IN)
        target = normalize(pieces.text).text if usable else sentence
        trace = trace_sentence(sentence, target, self.options.decode.policy, decoded, self.tokenizer.decode)
        if target == sentence:
            return Solution((), trace)
        probabilities = np.exp(np.asarray(decoded.log_probabilities, dtype=np.float64))
        changes = align(sentence, target)
        shift = len(pieces.text) - len(pieces.text.lstrip())
        return Solution(
            tuple(
                _suggest(sentence, target, change, _confidence(change.target.shift(shift), pieces, probabilities))
                for change in changes
            ),
            trace,
        )

    def _assemble(self, text: str, solved: Sequence[tuple[Piece, Solution]], dictionary: Container[str]) -> Correction:
        edits: list[Edit] = []
        shields = _shields(text, dictionary) if any(solution.suggestions for _, solution in solved) else SpanSet(())
        for piece, solution in solved:
            for suggestion in solution.suggestions:
                edit = _place(text, piece, suggestion, edits[-1].span.end if edits else 0)
                doubtful = edit.source == edit.replacement or edit.confidence < self.options.min_confidence
                if piece.allows(edit) and not (doubtful or shields.overlap(edit.span)):
                    edits.append(edit)
        spans = tuple(piece.span for piece, _ in solved)
        trace = Trace(tuple(solution.trace for _, solution in solved))
        return Correction(text, apply(text, edits), tuple(edits), spans, trace)


def load(
    model: str | Path = "en",
    *,
    engine: str = "onnx",
    draft: str | None = None,
    max_draft: int | None = None,
    copy_bias: float | None = None,
    min_confidence: float | None = None,
    threads: int = 0,
) -> Corrector:
    """Opens an embedded model by name, or a model folder by path.

    What is left None comes from the model or from the defaults of `DecodeOptions`.
    """
    folder = ModelFolder.open(locate(model))
    tokenizer = Tokenizer.load(folder.tokenizer)
    decode = DecodeOptions(max_draft=max_draft, copy_bias=folder.info.copy_bias if copy_bias is None else copy_bias)
    if draft is not None:
        decode = replace(decode, policy=draft)
    options = CorrectorOptions(
        decode=decode,
        min_confidence=folder.info.min_confidence if min_confidence is None else min_confidence,
    )
    return Corrector(open_engine(folder, engine, threads), tokenizer, folder.info, options)


def open_engine(folder: ModelFolder, engine: str, threads: int = 0) -> Engine:
    if engine == "onnx":
        from redraft.decode.onnx_stepper import OnnxEngine

        return OnnxEngine(folder, threads)
    if engine not in ENGINES:
        raise ConfigError(f"no engine is called {engine!r}; there are {', '.join(ENGINES)}")
    try:
        import torch

        from redraft.decode.torch_stepper import TorchEngine
    except ImportError:
        raise ConfigError(f"the engine {engine} needs torch: pip install 'redraft[train]'") from None
    if threads:
        torch.set_num_threads(threads)
    return TorchEngine.load(folder, device="cuda" if engine == "cuda" else "cpu")


def _is_readable(sentence: str) -> bool:
    """Is there anything in the sentence that the model could mend: letters, at least half of them in its script?"""
    letters = [character for character in sentence if character.isalpha()]
    latin = sum(character < "\u0250" or unicodedata.name(character, "").startswith("LATIN") for character in letters)
    return bool(letters) and 2 * latin >= len(letters)


def _suggest(source: str, target: str, change: Change, confidence: float) -> Suggestion:
    kind = classify(source, target, change)
    before, after = change.source.of(source), change.target.of(target)
    return Suggestion(change, after, kind, confidence, explain(kind, before.strip(), after.strip()))


def _confidence(written: Span, pieces: Pieces, probabilities: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
    """The probability of the least likely token that writes the change; of what follows it, where it only deletes."""
    touching = [
        index
        for index, (start, end) in enumerate(zip(pieces.starts, pieces.ends, strict=True))
        if start < written.end and written.start < end
    ]
    if not touching:
        behind = (index for index, end in enumerate(pieces.ends) if end > written.start)
        touching = [next(behind, len(probabilities) - 1)]
    return float(min(probabilities[index] for index in touching))


def _shields(text: str, dictionary: Container[str]) -> SpanSet:
    """What no edit may touch; words with a lone surrogate too, since the model saw a stand-in for it."""
    shields = [shield.span for shield in protected(text, dictionary)]
    if _SURROGATE.search(text):
        shields += [Span(*word.span()) for word in _WORD.finditer(text) if _SURROGATE.search(word.group())]
    return SpanSet(shields)


def _place(text: str, piece: Piece, suggestion: Suggestion, floor: int) -> Edit:
    """The suggestion as an edit of the whole text; nothing before `floor` is touched."""
    span = piece.spaced.restore(suggestion.change.source).shift(piece.span.start)
    span, replacement = _keep_line_breaks(text, span, suggestion.replacement, floor)
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
