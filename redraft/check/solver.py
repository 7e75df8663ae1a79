"""Decodes sentences with one model, and caches what it decoded."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property
from threading import Thread
from typing import Any, TypeVar

from redraft.check.alternatives import Rewordings, reword_suggestions
from redraft.check.interpreter import Interpreter, Solution, Suggestion, apply_suggestions
from redraft.check.passes import Passes, PassQueue
from redraft.check.possible_errors import find_possible_errors
from redraft.check.recent_cache import RecentCache
from redraft.check.respelling import Respeller
from redraft.check.stale import Stale, never
from redraft.check.verb_agreement import find_agreeing_verbs, find_unsure_verbs
from redraft.chunks import chunks
from redraft.decode.bulk import BulkDecode, BulkEngine
from redraft.decode.loop import Decode, Decoded, DecodeOptions, Limits, SourceBatch, decode_sources
from redraft.decode.stepper import Engine, ParallelEngine
from redraft.decode.trace import SentenceTrace
from redraft.edits.caution import MISSPELLING_POWER, changes_referent
from redraft.errors import ConfigError
from redraft.fork_lock import ForkLock
from redraft.model.folder import ModelInfo
from redraft.model.known_words import KnownWords
from redraft.tokens.tokenizer import Tokenizer

_MOST_TRIES = 3
"""How often a sentence is decoded in one pass at most, each time with fewer edits."""
_BULK_SENTENCES = 4096
"""Sentences that are decoded in bulk before the caller is asked whether it still waits."""


_K = TypeVar("_K")
_V = TypeVar("_V")


@dataclass(frozen=True, slots=True)
class _Try:
    """A sentence that is decoded, again if edits are left out, in one pass."""

    passes: Passes
    raised: Limits = field(default_factory=dict)
    """Where edits were left out, and what an edit needs there."""
    traces: tuple[SentenceTrace, ...] = ()

    @property
    def size(self) -> int:
        return self.passes.size

    def needs_another(self, solution: Solution) -> bool:
        """Whether more is left out than before."""
        return len(self.traces) < _MOST_TRIES - 1 and not solution.left_out.items() <= self.raised.items()

    def without(self, solution: Solution) -> _Try:
        """The next try, without the edits that the solution leaves out."""
        return _Try(self.passes, {**self.raised, **solution.left_out}, (*self.traces, solution.trace))


@dataclass(frozen=True, slots=True)
class SolverOptions:
    """How sentences are decoded, batched and cached; the threshold comes with each request."""

    decode: DecodeOptions = field(default_factory=DecodeOptions)
    batch_tokens: int = 128
    """Size of a batch in tokens, padding included. A CPU gains nothing from more: they add padding, and rows that
    wait for the longest one. An engine without padding takes up to four times as many where many sentences wait."""
    cached_sentences: int = 4096

    def __post_init__(self) -> None:
        if self.batch_tokens < 1 or self.cached_sentences < 0:
            raise ConfigError("batch_tokens must be at least 1 and cached_sentences at least 0")


class SentenceSolver:
    """One model on one engine. Safe to use from several threads; they take turns at the engine."""

    def __init__(
        self,
        engine: Engine,
        tokenizer: Tokenizer,
        info: ModelInfo,
        options: SolverOptions | None = None,
        decode: Decode = decode_sources,
        known_words: KnownWords | None = None,
    ) -> None:
        """`decode` decodes the sentences of a batch. Without known words, no word counts as a misspelling by itself."""
        self._decode_sources = decode
        self.engine = engine
        self.tokenizer = tokenizer
        self.info = info
        self.options = options or SolverOptions()
        self.known_words = known_words
        self._interpreter = Interpreter(tokenizer, info, known_words)
        self._respeller = Respeller(tokenizer, known_words) if known_words else None
        # By sentence and threshold. People write the same sentences again, and a changed paragraph is checked whole
        # though only one of its sentences changed: the others come from here.
        size = self.options.cached_sentences
        self._solutions = RecentCache[tuple[str, float], Solution](size)
        self._rewordings = RecentCache[tuple[str, float, int], Rewordings](size)
        self._possible_errors = RecentCache[tuple[str, float], tuple[Suggestion, ...]](size)
        self._engine_lock = ForkLock()
        """Held while the engine runs; its workers run without it."""
        # The target may be longer than its source: a third of what the model takes is left for that.
        self._longest = max(1, engine.max_tokens * 2 // 3)

    @property
    def workers(self) -> int:
        """Number of batches that the engine can decode at the same time."""
        return len(self._parallel.workers) if self._parallel else 1

    @cached_property
    def _parallel(self) -> ParallelEngine | None:
        """The engine, if it has workers. Looked up once: to find out whether a class fits a protocol takes a while."""
        return self.engine if isinstance(self.engine, ParallelEngine) else None

    @property
    def is_parallel(self) -> bool:
        """Whether the engine has workers that decode several batches at the same time."""
        return self.workers > 1

    @cached_property
    def can_solve_in_bulk(self) -> bool:
        """Whether the engine decodes in bulk. It has drafts of its own then: a draft policy or a limit of drafts that
        was asked for, and another way to decode, go through the loop."""
        default = DecodeOptions()
        own = self.options.decode
        asked = own.policy != default.policy or own.max_draft != default.max_draft
        return not asked and self._decode_sources is decode_sources and isinstance(self.engine, BulkEngine)

    @cached_property
    def _bulk(self) -> BulkDecode | None:
        """Bulk decoding, which the engine opens when it is first needed; None if it cannot."""
        if self.can_solve_in_bulk and isinstance(self.engine, BulkEngine):
            return self.engine.open_bulk(self.tokenizer)
        return None

    def with_options(self, **changes: Any) -> SentenceSolver:
        """The same model with some of its options changed, and an empty cache."""
        options = replace(self.options, **changes)
        return SentenceSolver(self.engine, self.tokenizer, self.info, options, self._decode_sources, self.known_words)

    def fits(self, text: str) -> bool:
        """Whether the model takes this much text at once. Very few or very many bytes are judged without tokenizing."""
        size = len(text.encode())
        if not self._longest < size <= self._longest * self.tokenizer.longest_token:
            return size <= self._longest
        return len(self.tokenizer.encode(text)) <= self._longest

    def is_cached(self, sentence: str, threshold: float) -> bool:
        return (sentence, threshold) in self._solutions

    def look_up(self, sentences: Iterable[str], threshold: float) -> dict[str, Solution]:
        """The sentences that are in the cache, with their solutions."""
        known = ((sentence, self._solutions.get((sentence, threshold))) for sentence in sentences)
        return {sentence: solution for sentence, solution in known if solution is not None}

    def prepare(self, sentence: str) -> Passes:
        """A normalized sentence, encoded for its first pass."""
        (passes,) = self._prepare([sentence])
        return passes

    def decode_pass(self, batch: Sequence[Passes], threshold: float, worker: int | None = None) -> list[Passes]:
        """One pass over the sentences of a batch, on one worker of the engine or on the engine itself.

        Returns the sentences that need another pass; the others have their result, which is in the cache too.
        """
        with self._running(worker) as engine:
            self._decode(engine, [_Try(passes) for passes in batch], threshold)
        return self._finish(batch, threshold)

    def solve(
        self,
        sentences: Iterable[str],
        threshold: float,
        is_stale: Callable[[], bool] = never,
        on_workers: bool | None = None,
        in_bulk: bool = False,
    ) -> dict[str, Solution]:
        """Suggestions for normalized sentences. Raises `Stale` between two batches when `is_stale` says so.

        `on_workers` says whether an engine with workers decodes with these, several batches at the same time; by
        default if there is more than one batch. With `in_bulk`, an engine that can decode in bulk does so if there is
        more than one batch; traces have no calls then.

        What was decoded until then stays in the cache. Other threads get their turn between batches.
        """
        different = dict.fromkeys(sentences)
        solved = self.look_up(different, threshold)
        waiting = self._prepare(sentence for sentence in different if sentence not in solved)
        if on_workers is None:
            on_workers = sum(passes.size for passes in waiting) > self.options.batch_tokens
        if self._parallel and on_workers:
            self._solve_in_threads(waiting, threshold, is_stale)
        else:
            tries = [_Try(passes) for passes in waiting]
            if in_bulk and self.can_solve_in_bulk:
                tries = self._solve_in_bulk(tries, threshold, is_stale)
            self._solve_in_turns(tries, threshold, is_stale)
        return solved | {passes.reading.sentence: passes.result for passes in waiting if passes.result}

    def _prepare(self, sentences: Iterable[str]) -> list[Passes]:
        waiting = [Passes(self._interpreter.read(sentence)) for sentence in sentences]
        self._encode(waiting)
        return waiting

    def _solve_in_turns(self, waiting: Sequence[_Try], threshold: float, is_stale: Callable[[], bool]) -> None:
        """Solves sentences batch by batch, each on all threads of the engine."""
        while waiting:
            changed: list[Passes] = []
            for batch in self._batches(waiting):
                with self._running(None) as engine:
                    if is_stale():
                        raise Stale
                    self._decode(engine, batch, threshold)
                changed += self._finish([one.passes for one in batch], threshold)
            waiting = [_Try(passes) for passes in changed]

    def _solve_in_bulk(self, waiting: list[_Try], threshold: float, is_stale: Callable[[], bool]) -> list[_Try]:
        """Decodes sentences in bulk, next tries and next passes together, while there is more than one batch.

        Returns those that are not solved. Edits are found while other threads may use the engine.
        """
        while sum(one.size for one in waiting) > self.options.batch_tokens and self._bulk:
            following: list[_Try] = []
            for part in chunks(waiting, _BULK_SENTENCES):
                with self._running(None):
                    if is_stale():
                        raise Stale
                    decoded = self._bulk(self._sources(part, threshold))
                again = self._interpret(part, decoded, threshold)
                unfinished = {id(one.passes) for one in again}
                done = [one.passes for one in part if id(one.passes) not in unfinished]
                following += [*again, *map(_Try, self._finish(done, threshold))]
            waiting = following
        return waiting

    def _solve_in_threads(self, waiting: Sequence[Passes], threshold: float, is_stale: Callable[[], bool]) -> None:
        """Solves batches at the same time, each on one thread: while one runs the model, another finds edits."""
        queue = PassQueue(waiting, self.options.batch_tokens, self.workers)
        failures: list[BaseException] = []

        def work(worker: int) -> None:
            try:
                while batch := queue.take():
                    if is_stale():
                        raise Stale
                    changed = self.decode_pass(batch, threshold, worker)
                    queue.put_back(changed, len(batch) - len(changed))
            except BaseException as failure:
                failures.append(failure)
                queue.stop()

        threads = [Thread(target=work, args=(worker,), name="redraft-batches") for worker in range(1, self.workers)]
        for thread in threads:
            thread.start()
        work(0)
        for thread in threads:
            thread.join()
        if failures:
            raise failures[0]

    def reword(self, sentence: str, threshold: float, solution: Solution, worker: int | None = None) -> Rewordings:
        """For each suggestion of the sentence's solution, others for the same place, the likeliest first.

        `worker` is as in `decode_pass`.
        """
        # With possible errors, a solution has more suggestions.
        key = sentence, threshold, len(solution.suggestions)

        def find(engine: Engine) -> Rewordings:
            reading = self._interpreter.read(sentence)
            return reword_suggestions(engine, self.tokenizer, self._interpreter, reading, solution.suggestions)

        return self._find_cached(self._rewordings, key, find, worker)

    def may_have_possible_errors(self, sentence: str, solution: Solution) -> bool:
        """Whether a sentence must be searched for possible errors.

        Models whose tokens are characters find none. In sentences in capitals, only an edit that was withheld is one.
        """
        if solution.withheld:
            return True
        if self.tokenizer.by_character or not solution.is_usable or self._interpreter.read(sentence).is_converted:
            return False
        if solution.kept != ():
            return True
        text = apply_suggestions(sentence, solution.suggestions)
        return bool(self._interpreter.find_unknown_in_small_letters(text))

    def find_possible_errors(
        self, sentence: str, threshold: float, solution: Solution, worker: int | None = None
    ) -> tuple[Suggestion, ...]:
        """Suggestions of which the model is not certain, where the sentence's solution has none; in the order of the
        text. For sentences that may have some.

        `worker` is as in `decode_pass`.
        """
        options = replace(self.options.decode, threshold=threshold)

        def find(engine: Engine) -> tuple[Suggestion, ...]:
            return find_possible_errors(
                engine, self.tokenizer, self._interpreter, self._respeller, sentence, solution, options
            )

        if solution.withheld and self._interpreter.read(sentence).is_converted:
            found: tuple[Suggestion, ...] = (replace(solution.withheld, certain=False),)
        else:
            found = self._find_cached(self._possible_errors, (sentence, threshold), find, worker)
        # What a pronoun refers to is mostly in another sentence: no error of this one.
        return tuple(one for one in found if not changes_referent(one.change.source.of(sentence), one.replacement))

    def _find_cached(self, cache: RecentCache[_K, _V], key: _K, find: Callable[[Engine], _V], worker: int | None) -> _V:
        """What a cache has, or what `find` finds with the engine or one of its workers."""
        found = cache.get(key)
        if found is None:
            with self._running(worker) as engine:
                found = find(engine)
            cache.put(key, found)
        return found

    @contextmanager
    def _running(self, worker: int | None) -> Iterator[Engine]:
        """A worker of the engine, or the engine itself, which other threads wait for meanwhile."""
        if worker is not None and self._parallel:
            workers = self._parallel.workers
            yield workers[worker % len(workers)]
            return
        with self._engine_lock:
            yield self.engine

    def _encode(self, waiting: Sequence[Passes]) -> None:
        for passes, ids in zip(waiting, self.tokenizer.encode_batch([one.text for one in waiting]), strict=True):
            passes.ids = ids
            passes.unknown = self._interpreter.find_unknown(passes.text) if passes.reading.shows_names else ()
            passes.misspelt = self._interpreter.find_misspelt(passes.text, ids, passes.unknown)

    def _decode(self, engine: Engine, batch: Sequence[_Try], threshold: float) -> None:
        """One pass over each sentence. Where edits are left out, the sentence is decoded again without them, since what
        the model wrote behind them may depend on them."""
        while batch:
            decoded = self._decode_sources(engine, self._sources(batch, threshold))
            batch = self._interpret(batch, decoded, threshold, engine)

    def _sources(self, tries: Sequence[_Try], threshold: float) -> SourceBatch:
        options = replace(self.options.decode, threshold=threshold)
        least = MISSPELLING_POWER * math.log(threshold) if threshold else -math.inf
        limits = [{**dict.fromkeys(one.passes.misspelt, least), **one.raised} for one in tries]
        return SourceBatch([one.passes.ids for one in tries], self.tokenizer, options, limits)

    def _interpret(
        self, tries: Sequence[_Try], decoded: Sequence[Decoded], threshold: float, engine: Engine | None = None
    ) -> list[_Try]:
        """Ends the pass of each sentence whose edits are all made; returns the next tries of the others.

        `engine` is the one that the caller holds; without it, the engine is waited for where it is needed.
        """
        policy = self.options.decode.policy
        again: list[_Try] = []
        for one, result in zip(tries, decoded, strict=True):
            shows_names = one.passes.reading.shows_names
            solution = self._interpreter.interpret(one.passes.text, result, policy, threshold, shows_names)
            if one.needs_another(solution):
                again.append(one.without(solution))
            else:
                solution = self._correct_words(one.passes, solution, result, threshold, engine)
                one.passes.add(replace(solution, tries=one.traces) if one.traces else solution)
        return again

    def _correct_words(
        self, passes: Passes, solution: Solution, decoded: Decoded, threshold: float, engine: Engine | None
    ) -> Solution:
        """Where a pass has found nothing more: corrections of single words that the model has copied, unknown ones and
        verbs that do not agree. They need more decoder calls."""
        if solution.suggestions or not solution.is_usable:
            return solution
        text = passes.text
        unknown = self._respeller.select(text, passes.unknown) if self._respeller else []
        is_copied = self._interpreter.is_english and decoded.ids == list(passes.ids)
        verbs = find_unsure_verbs(self.tokenizer, text, decoded, threshold) if is_copied else []
        if not unknown and not verbs:
            return solution
        with nullcontext(engine) if engine else self._running(None) as running:
            found = self._respeller.find(running, text, unknown, threshold) if self._respeller and unknown else []
            if not found and verbs:
                found = find_agreeing_verbs(running, self.tokenizer, text, verbs, threshold)
        return replace(solution, suggestions=self._interpreter.correct_words(text, found)) if found else solution

    def _finish(self, batch: Sequence[Passes], threshold: float) -> list[Passes]:
        """Caches the solutions of sentences that stayed the same, and returns the others, encoded for the next pass."""
        changed: list[Passes] = []
        for passes in batch:
            if passes.may_change and self.fits(passes.text):
                changed.append(passes)
            else:
                combined = self._interpreter.combine(passes.reading, passes.solutions)
                passes.result = self._interpreter.withhold(passes.reading.sentence, combined, threshold)
        for passes in batch:
            if passes.result:
                self._cache(passes, passes.result, threshold)
        self._encode(changed)
        return changed

    def _cache(self, passes: Passes, solution: Solution, threshold: float) -> None:
        last = passes.solutions[-1]
        if not (last.suggestions or passes.reading.is_converted):
            # The corrected sentence is solved too: after the user accepts all suggestions, it is not decoded again.
            self._solutions.put((passes.text, threshold), last)
        self._solutions.put((passes.reading.sentence, threshold), solution)

    def _batches(self, waiting: Sequence[_Try]) -> Iterator[list[_Try]]:
        batch: list[_Try] = []
        for one in sorted(waiting, key=lambda one: one.size):
            # Sorted by length: the newest is the longest, and all others are padded to it.
            if batch and (len(batch) + 1) * one.size > self.options.batch_tokens:
                yield batch
                batch = []
            batch.append(one)
        if batch:
            yield batch
