"""Decodes sentences with one model, and caches what it decoded."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from redraft.check.alternatives import Rewordings, reword_suggestions
from redraft.check.interpreter import Interpreter, Reading, Solution, apply_suggestions
from redraft.decode.loop import DecodeOptions, decode_batch
from redraft.decode.stepper import Engine
from redraft.errors import ConfigError
from redraft.fork_lock import ForkLock
from redraft.model.folder import ModelInfo
from redraft.tokens.tokenizer import Tokenizer

MOST_PASSES = 4
"""How often a sentence is decoded at most: once, and again as long as the pass before changed it."""


class Stale(Exception):  # noqa: N818 - nothing went wrong
    """The caller no longer waits for the answer, or the text has changed."""


def never() -> bool:
    """For callers that always wait for the answer."""
    return False


@dataclass(frozen=True, slots=True)
class SolverOptions:
    """How sentences are decoded, batched and cached; the threshold comes with each request."""

    decode: DecodeOptions = field(default_factory=DecodeOptions)
    batch_tokens: int = 128
    """Size of a batch in tokens, padding included. A CPU gains nothing from more: they add padding, and rows that
    wait for the longest one."""
    cached_sentences: int = 4096

    def __post_init__(self) -> None:
        if self.batch_tokens < 1 or self.cached_sentences < 0:
            raise ConfigError("batch_tokens must be at least 1 and cached_sentences at least 0")


class SentenceSolver:
    """One model on one engine. Safe to use from several threads; they take turns at the engine."""

    def __init__(
        self, engine: Engine, tokenizer: Tokenizer, info: ModelInfo, options: SolverOptions | None = None
    ) -> None:
        self.engine = engine
        self.tokenizer = tokenizer
        self.info = info
        self.options = options or SolverOptions()
        self._interpreter = Interpreter(tokenizer, info)
        # By sentence and threshold. People write the same sentences again, and a changed paragraph is checked whole
        # though only one of its sentences changed: the others come from here.
        self._solutions: OrderedDict[tuple[str, float], Solution] = OrderedDict()
        self._rewordings: OrderedDict[tuple[str, float], Rewordings] = OrderedDict()
        self._lock = ForkLock()
        # The target may be longer than its source: a third of what the model takes is left for that.
        self._longest = max(1, engine.max_tokens * 2 // 3)

    def with_options(self, **changes: Any) -> SentenceSolver:
        """The same model with some of its options changed, and an empty cache."""
        return SentenceSolver(self.engine, self.tokenizer, self.info, replace(self.options, **changes))

    def fits(self, text: str) -> bool:
        """Whether the model takes this much text at once. Very few or very many bytes are judged without tokenizing."""
        size = len(text.encode())
        if not self._longest < size <= self._longest * self.tokenizer.longest_token:
            return size <= self._longest
        return len(self.tokenizer.encode(text)) <= self._longest

    def is_cached(self, sentence: str, threshold: float) -> bool:
        return (sentence, threshold) in self._solutions

    def solve(
        self, sentences: Iterable[str], threshold: float, is_stale: Callable[[], bool] = never
    ) -> dict[str, Solution]:
        """Suggestions for normalized sentences. Raises `Stale` between two batches when `is_stale` says so.

        What was decoded until then stays in the cache. Other threads get their turn between batches.
        """
        solved: dict[str, Solution] = {}
        missing: list[str] = []
        with self._lock:
            for sentence in dict.fromkeys(sentences):
                known = self._solutions.get((sentence, threshold))
                if known is None:
                    missing.append(sentence)
                else:
                    self._solutions.move_to_end((sentence, threshold))
                    solved[sentence] = known
        waiting = [_Passes(self._interpreter.read(sentence)) for sentence in missing]
        while waiting:
            encoded = self.tokenizer.encode_batch([passes.text for passes in waiting])
            order = sorted(range(len(waiting)), key=lambda index: len(encoded[index]))
            changed: list[_Passes] = []
            for batch in self._batches(order, encoded):
                with self._lock:
                    if is_stale():
                        raise Stale
                    together = [waiting[index] for index in batch]
                    self._decode(together, [encoded[index] for index in batch], threshold)
                    for passes in together:
                        if passes.may_change and self.fits(passes.text):
                            changed.append(passes)
                        else:
                            solved[passes.reading.sentence] = self._finish(passes, threshold)
            waiting = changed
        return solved

    def reword(self, sentence: str, threshold: float, solution: Solution) -> Rewordings:
        """For each suggestion of the sentence's solution, others for the same place, the likeliest first."""
        key = sentence, threshold
        with self._lock:
            if key not in self._rewordings:
                self._rewordings[key] = reword_suggestions(
                    self.engine,
                    self.tokenizer,
                    self._interpreter,
                    self._interpreter.read(sentence),
                    solution.suggestions,
                )
            found = self._rewordings[key]
            self._rewordings.move_to_end(key)
            while len(self._rewordings) > self.options.cached_sentences:
                self._rewordings.popitem(last=False)
            return found

    def _decode(self, together: Sequence[_Passes], encoded: Sequence[Sequence[int]], threshold: float) -> None:
        options = replace(self.options.decode, threshold=threshold)
        decoded = decode_batch(self.engine, encoded, self.tokenizer, options)
        for passes, result in zip(together, decoded, strict=True):
            passes.add(self._interpreter.interpret(passes.text, result, options.policy, threshold))

    def _finish(self, passes: _Passes, threshold: float) -> Solution:
        solution = self._interpreter.combine(passes.reading, passes.solutions)
        last = passes.solutions[-1]
        if not (last.suggestions or passes.reading.traditional):
            # The corrected sentence is solved too: after the user accepts all suggestions, it is not decoded again.
            self._solutions[passes.text, threshold] = last
        self._solutions[passes.reading.sentence, threshold] = solution
        while len(self._solutions) > self.options.cached_sentences:
            self._solutions.popitem(last=False)
        return solution

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


class _Passes:
    """A sentence that is corrected, and corrected again, until it stays the same.

    One correction may make another one sure, or possible at all. Without more passes the user would get it only when
    the corrected text is checked again.
    """

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.text = reading.seen
        """The text that the next pass corrects."""
        self.solutions: list[Solution] = []
        self._seen = {self.text}
        self.may_change = True

    def add(self, solution: Solution) -> None:
        """The solution of a pass over `text`."""
        self.solutions.append(solution)
        self.text = apply_suggestions(self.text, solution.suggestions)
        # A text that was there before ends the passes too: corrections that undo each other would never end.
        self.may_change = self.text not in self._seen and len(self.solutions) < MOST_PASSES
        self._seen.add(self.text)


class SentenceRequest(NamedTuple):
    """A normalized sentence, the model that reads it, and the threshold it is decoded with."""

    solver: SentenceSolver
    sentence: str
    threshold: float


Solve = Callable[[Collection[SentenceRequest], Callable[[], bool]], dict[SentenceRequest, Solution]]


def solve_requests(
    requests: Collection[SentenceRequest], is_stale: Callable[[], bool] = never
) -> dict[SentenceRequest, Solution]:
    """Solves sentences in the calling thread; those with one model and one threshold share decoder calls."""
    groups: dict[tuple[SentenceSolver, float], list[str]] = {}
    for request in requests:
        groups.setdefault((request.solver, request.threshold), []).append(request.sentence)
    solved: dict[SentenceRequest, Solution] = {}
    for (solver, threshold), sentences in groups.items():
        for sentence, solution in solver.solve(sentences, threshold, is_stale).items():
            solved[SentenceRequest(solver, sentence, threshold)] = solution
    return solved


Reword = Callable[[SentenceRequest, Solution], Rewordings]


def reword_request(request: SentenceRequest, solution: Solution) -> Rewordings:
    """Rewords the suggestions for a sentence in the calling thread."""
    return request.solver.reword(request.sentence, request.threshold, solution)
