"""Corrects texts: cuts them into sentences, has each solved by the model of its language, and places the edits."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Container, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import chain
from threading import Event
from typing import Any

from redraft.check.alternatives import Alternative, collect
from redraft.check.dialect_spelling import majority_dialect
from redraft.check.interpreter import STAND_IN, Solution
from redraft.check.languages import find_language
from redraft.check.options import CheckOptions, check_threshold
from redraft.check.placing import SURROGATE, Piece, place_edits
from redraft.check.possible_errors import merge_suggestions
from redraft.check.requests import RunTask, SentenceRequest, Solve, run_task, solve_requests
from redraft.check.solver import SentenceSolver
from redraft.check.stale import Stale, never
from redraft.check.unchecked import Unchecked, find_unchecked
from redraft.decode.stepper import Engine
from redraft.decode.trace import SentenceTrace, Trace
from redraft.edits.edit import Edit, apply
from redraft.errors import ConfigError
from redraft.fork_lock import ForkLock
from redraft.model.folder import ModelInfo
from redraft.text.dialects import Dialect
from redraft.text.scripts import can_read
from redraft.text.sentences import split, split_clauses, strip_signs
from redraft.text.spacing import normalize
from redraft.text.span import Span
from redraft.tokens.tokenizer import Tokenizer

_WINDOW_TEXTS = 256
_WINDOW_CHARACTERS = 1 << 16
_WINDOWS_AT_ONCE = 2
_BULK_WINDOWS = 4
"""Size of a window for bulk decoding, in times that of another: next tries and passes are enough for it too then."""


@dataclass(frozen=True, slots=True)
class Correction:
    """A text and its corrected form; `apply(source, edits) == text`."""

    source: str
    text: str
    edits: tuple[Edit, ...]
    sentences: tuple[Span, ...]
    """The parts of the source that were corrected one by one."""
    trace: Trace
    unchecked: tuple[Unchecked, ...] = ()
    """Those of them that no model could check, with the reason."""


@dataclass(frozen=True, slots=True)
class _Window:
    """Texts that were solved together."""

    texts: list[str]
    pieces: list[list[Piece]]
    """The sentences of each text."""
    solutions: list[Solution]
    """Those of all sentences."""


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of a sentence, and the first model that knows its script."""

    span: Span
    solver: SentenceSolver | None


class OtherModel:
    """The model of another language, opened when the first sentence in that language comes."""

    def __init__(
        self, language: str, open: Callable[[], SentenceSolver], read_threshold: Callable[[], float] = float
    ) -> None:
        """`read_threshold` returns the model's own threshold without opening the model."""
        self.language = language
        self._open = open
        self._read_threshold = read_threshold
        self._solver: SentenceSolver | None = None
        self._lock = ForkLock()

    @property
    def solver(self) -> SentenceSolver:
        with self._lock:
            self._solver = self._solver or self._open()
            return self._solver

    @property
    def threshold(self) -> float:
        return self._read_threshold()

    def with_options(self, **changes: Any) -> OtherModel:
        return OtherModel(self.language, lambda: self.solver.with_options(**changes), self._read_threshold)


class Corrector:
    """Corrects texts with one model, or with several, each for the sentences of its language."""

    def __init__(
        self,
        solver: SentenceSolver,
        others: Sequence[OtherModel] = (),
        *,
        dialect: Dialect | None = None,
        consistent: bool = False,
        threshold: float | None = None,
        solve: Solve = solve_requests,
        run: RunTask = run_task,
    ) -> None:
        """`others` read the sentences that the first model cannot, because they are in another script.

        `dialect`, `consistent` and `threshold` are as in `CheckOptions`; `solve` and `run` run the models.
        """
        check_threshold(threshold)
        self.solver = solver
        self.others = tuple(others)
        self.dialect = dialect
        self.consistent = consistent
        self.threshold = threshold
        self._solve = solve
        self._run = run

    @property
    def engine(self) -> Engine:
        return self.solver.engine

    @property
    def tokenizer(self) -> Tokenizer:
        return self.solver.tokenizer

    @property
    def info(self) -> ModelInfo:
        """The first model's."""
        return self.solver.info

    @property
    def languages(self) -> tuple[str, ...]:
        """Those of all models, the first model's first."""
        return self.info.language, *(other.language for other in self.others)

    @property
    def thresholds(self) -> dict[str, float]:
        """The threshold in use for each language."""
        own = {self.info.language: self.info.threshold} | {other.language: other.threshold for other in self.others}
        return own if self.threshold is None else dict.fromkeys(own, self.threshold)

    def with_options(self, options: CheckOptions) -> Corrector:
        """The same models, with the language, spelling and threshold of a check."""
        chosen = self.for_language(options.language) if options.language else self
        return chosen._copy(
            dialect=options.dialect or self.dialect,
            consistent=options.consistent or self.consistent,
            threshold=self.threshold if options.threshold is None else options.threshold,
        )

    def for_language(self, language: str) -> Corrector:
        """The model of one language alone: sentences in any other script stay as they are."""
        found = find_language(language, *self.languages)
        if found is None:
            known = " and ".join(repr(name) for name in self.languages)
            raise ConfigError(f"there is no model for {language!r}, only for {known}; name a model with --model")
        others = (other.solver for other in self.others if other.language.lower() == found.code)
        solver = self.solver if self.info.language.lower() == found.code else next(others)
        return self._copy(solver=solver, others=())

    def with_solver_options(self, **changes: Any) -> Corrector:
        """The same models with other `SolverOptions` and empty caches; they run in the calling thread."""
        others = [other.with_options(**changes) for other in self.others]
        solver = self.solver.with_options(**changes)
        return self._copy(solver=solver, others=others, solve=solve_requests, run=run_task)

    def with_policy(self, policy: str) -> Corrector:
        """The same models with another draft policy. Nothing is cached, so that every sentence is decoded."""
        decode = replace(self.solver.options.decode, policy=policy)
        return self.with_solver_options(decode=decode, cached_sentences=0)

    def with_solve(self, solve: Solve, run: RunTask = run_task) -> Corrector:
        """The same models, run by other functions."""
        return self._copy(solve=solve, run=run)

    def in_bulk(self) -> Corrector:
        """The same corrector, for many texts: engines that decode in bulk do so. Then traces have no calls."""
        return self._copy(solve=_solve_in_bulk) if self._solve is solve_requests else self

    @property
    def solves_in_bulk(self) -> bool:
        """Whether the first model decodes many sentences in bulk."""
        return self._solve is _solve_in_bulk and self.solver.can_solve_in_bulk

    def _copy(self, **changes: Any) -> Corrector:
        """The same corrector with some of the arguments it was made from changed."""
        own = {
            "solver": self.solver,
            "others": self.others,
            "dialect": self.dialect,
            "consistent": self.consistent,
            "threshold": self.threshold,
            "solve": self._solve,
            "run": self._run,
        }
        return Corrector(**{**own, **changes})

    def correct(self, text: str, dictionary: Container[str] = frozenset()) -> Correction:
        """Corrects one text. Words of the dictionary are left as they are."""
        (result,) = self._correct(self._solve_window([_checked(text)]), dictionary)
        return result

    def pipe(
        self, texts: Iterable[str], dictionary: Container[str] = frozenset(), window: int | None = None
    ) -> Iterator[Correction]:
        """Corrects texts in order, up to `window` at a time, so that sentences of similar length share decoder calls.

        Only one window is read ahead: 256 texts if none is given, and 65,536 characters at most, so the input may be
        endless. Where the engine decodes in bulk it is four times as much. An engine that decodes several batches at
        the same time gets both halves of a window at once, so that all its threads have work while the last sentences
        of a half are decoded and the edits of the one before are placed.
        """
        yield from self.in_bulk()._pipe(texts, dictionary, window)

    def _pipe(self, texts: Iterable[str], dictionary: Container[str], window: int | None) -> Iterator[Correction]:
        size = _BULK_WINDOWS if self.solves_in_bulk else 1
        characters = _WINDOW_CHARACTERS * size
        window = _WINDOW_TEXTS * size if window is None else window
        if window > 1 and self.solver.is_parallel:
            solved = self._solve_ahead(_windows(texts, window // 2, characters // 2))
        else:
            solved = (self._solve_window(some) for some in _windows(texts, window, characters))
        with closing(solved):
            for one in solved:
                yield from self._correct(one, dictionary)

    def _solve_ahead(self, windows: Iterable[list[str]]) -> Generator[_Window, None, None]:
        """Solves two windows at a time."""
        stopped = Event()
        pending: deque[Future[_Window]] = deque()
        with ThreadPoolExecutor(_WINDOWS_AT_ONCE, "redraft-window") as pool:
            try:
                for texts in windows:
                    pending.append(pool.submit(self._solve_window, texts, stopped.is_set))
                    if len(pending) == _WINDOWS_AT_ONCE:
                        yield pending.popleft().result()
                while pending:
                    yield pending.popleft().result()
            finally:
                stopped.set()

    def _solve_window(self, texts: list[str], is_stale: Callable[[], bool] = never) -> _Window:
        pieces = [self.cut(text, is_stale=is_stale) for text in texts]
        return _Window(texts, pieces, self.solve([piece for cut in pieces for piece in cut], is_stale))

    def _correct(self, window: _Window, dictionary: Container[str]) -> Iterator[Correction]:
        solutions = iter(window.solutions)
        for text, cut in zip(window.texts, window.pieces, strict=True):
            solved = [next(solutions) for _ in cut]
            placed = place_edits(text, cut, solved, dictionary, dialect=self.dialect_of([text]))
            edits = tuple(chain.from_iterable(placed))
            trace = Trace(tuple(solution.trace for solution in solved))
            unread = (self.find_unchecked(*found) for found in zip(cut, solved, placed, strict=True))
            spans = tuple(piece.span for piece in cut)
            yield Correction(text, apply(text, edits), edits, spans, trace, tuple(filter(None, unread)))

    def cut(self, text: str, wrapped: bool = False, is_stale: Callable[[], bool] = never) -> list[Piece]:
        """The sentences of a text, each with its model; if `wrapped`, a single line end does not end a sentence.

        Raises `Stale` before the next piece when `is_stale` says so.
        """
        found: list[Piece] = []
        pieces = self._find_pieces(text, wrapped)
        while not is_stale():
            piece = next(pieces, None)
            if piece is None:
                return found
            found.append(piece)
        raise Stale

    def _find_pieces(self, text: str, wrapped: bool) -> Iterator[Piece]:
        # A lone surrogate has no UTF-8 form; its stand-in is as long, so that every offset holds.
        clean = SURROGATE.sub(STAND_IN, text)
        for sentence in split(clean, wrapped):
            body = strip_signs(sentence.of(clean)).shift(sentence.start)
            parts = self._find_parts(body.of(clean))
            part = next(parts, None)
            starts = True
            while part:
                following = next(parts, None)
                ends = following is None
                span = part.span.shift(body.start)
                spaced = normalize(span.of(clean))
                if spaced.text:
                    yield Piece(span, spaced, part.solver, starts, ends, ends and body.end < sentence.end)
                part, starts = following, False

    def _find_parts(self, words: str) -> Iterator[_Part]:
        """The whole sentence; if it is too long for its model, parts of it, which may be in different scripts."""
        solver = self._find_solver(words)
        if (solver or self.solver).fits(words):
            yield _Part(Span(0, len(words)), solver)
            return
        for span in split_clauses(words, lambda part: (self._find_solver(part) or self.solver).fits(part)):
            yield _Part(span, self._find_solver(span.of(words)))

    def _find_solver(self, sentence: str) -> SentenceSolver | None:
        """The first model that knows the script of a sentence."""
        if can_read(self.info.language, sentence):
            return self.solver
        return next((other.solver for other in self.others if can_read(other.language, sentence)), None)

    def solve(self, pieces: Sequence[Piece], is_stale: Callable[[], bool] = never) -> list[Solution]:
        """What the models suggest for each piece. Raises `Stale` when `is_stale` says so."""
        unread = Solution((), SentenceTrace("", "", self.solver.options.decode.policy, (), 0, 0))
        requests = [self._request(piece) for piece in pieces]
        solved = self._solve([request for request in dict.fromkeys(requests) if request], is_stale)
        return [solved[request] if request else unread for request in requests]

    def alternatives(self, text: str, edit: Edit, dictionary: Container[str] = frozenset()) -> tuple[Alternative, ...]:
        """Up to three replacements for an edit of `correct(text, dictionary)`: its own, and the model's next choices.

        Each replaces the same text as the edit. An edit by a rule has only its own.
        """
        pieces = self.cut(text)
        solutions = self.solve(pieces)
        dialect = self.dialect_of([text])

        def place(pieces: Sequence[Piece], solutions: Sequence[Solution]) -> list[list[Edit]]:
            return place_edits(text, pieces, solutions, dictionary, dialect=dialect)

        for piece, solution, edits in zip(pieces, solutions, place(pieces, solutions), strict=True):
            if edit in edits:
                variants = (place([piece], [variant])[0] for variant in self.variants(piece, solution))
                return collect([edit], variants)[0]
        return (Alternative(edit.replacement, edit.confidence),)

    def possible_errors(self, text: str, dictionary: Container[str] = frozenset()) -> tuple[Edit, ...]:
        """Places of a text where the model is sure that something is wrong, but not of the replacement: edits that are
        not certain. `correct` does not make them."""
        pieces = self.cut(_checked(text))
        solved = zip(pieces, self.solve(pieces), strict=True)
        solutions = [self.add_possible_errors(piece, solution) for piece, solution in solved]
        placed = place_edits(text, pieces, solutions, dictionary, dialect=self.dialect_of([text]))
        return tuple(edit for edits in placed for edit in edits if not edit.certain)

    def variants(self, piece: Piece, solution: Solution) -> list[Solution]:
        """The solution with one suggestion reworded, in each way that the model gives enough probability.

        The likeliest come first. The first call for a sentence needs the model; the result is cached.
        """
        request = self._request(piece)
        if request is None or not solution.suggestions:
            return []
        solver, sentence, threshold = request
        reworded = self._run(lambda worker: solver.reword(sentence, threshold, solution, worker))
        choices = [(other, place) for place, others in enumerate(reworded) for other in others]
        choices.sort(key=lambda choice: -choice[0].confidence)
        suggestions = solution.suggestions
        return [
            replace(solution, suggestions=(*suggestions[:place], other, *suggestions[place + 1 :]))
            for other, place in choices
        ]

    def add_possible_errors(self, piece: Piece, solution: Solution) -> Solution:
        """The solution with possible errors among its suggestions; they are not certain."""
        request = self._request(piece)
        if request is None or not request.solver.may_have_possible_errors(request.sentence, solution):
            return solution
        solver, sentence, threshold = request
        found = self._run(lambda worker: solver.find_possible_errors(sentence, threshold, solution, worker))
        return replace(solution, suggestions=merge_suggestions(solution.suggestions, found)) if found else solution

    def is_cached(self, piece: Piece) -> bool:
        """Whether solving a piece takes no decoding."""
        request = self._request(piece)
        return request is None or request.solver.is_cached(request.sentence, request.threshold)

    def _request(self, piece: Piece) -> SentenceRequest | None:
        solver = piece.solver
        return SentenceRequest(solver, piece.spaced.text, self._threshold_for(solver)) if solver else None

    def _threshold_for(self, solver: SentenceSolver) -> float:
        return solver.info.threshold if self.threshold is None else self.threshold

    def dialect_of(self, texts: Iterable[str]) -> Dialect | None:
        """The only spelling accepted in a document, given by its texts: the chosen one or, for consistency, its own."""
        return self.dialect or (majority_dialect(texts) if self.consistent else None)

    def find_unchecked(self, piece: Piece, solution: Solution, edits: Sequence[Edit]) -> Unchecked | None:
        """Why a piece was not checked; None if it was. `edits` are those placed in it."""
        if edits:
            return None
        language = piece.solver.info.language if piece.solver else None
        return find_unchecked(piece.spaced.text, piece.span, language, self.languages, solution.is_usable)


def _solve_in_bulk(
    requests: Collection[SentenceRequest], is_stale: Callable[[], bool]
) -> dict[SentenceRequest, Solution]:
    return solve_requests(requests, is_stale, in_bulk=True)


def _windows(texts: Iterable[str], most: int, most_characters: int) -> Iterator[list[str]]:
    """Groups of up to `most` texts, and of few enough characters to hold in memory."""
    if isinstance(texts, str):
        raise TypeError("pipe takes several texts; for one text call correct")
    window: list[str] = []
    characters = 0
    for text in texts:
        window.append(_checked(text))
        characters += len(text)
        if len(window) >= most or characters >= most_characters:
            yield window
            window, characters = [], 0
    if window:
        yield window


def _checked(text: str) -> str:
    if not isinstance(text, str):
        raise TypeError(f"a text to correct must be a str, not {type(text).__name__}")
    return text
