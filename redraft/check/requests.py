"""Requests for the solutions of sentences, whichever model reads them, and ways to run them."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import NamedTuple, Protocol, TypeVar

from redraft.check.interpreter import Solution
from redraft.check.solver import SentenceSolver
from redraft.check.stale import never

_V = TypeVar("_V")


class SentenceRequest(NamedTuple):
    """A normalized sentence, the model that reads it, and the threshold it is decoded with."""

    solver: SentenceSolver
    sentence: str
    threshold: float


Solve = Callable[[Collection[SentenceRequest], Callable[[], bool]], dict[SentenceRequest, Solution]]


def solve_requests(
    requests: Collection[SentenceRequest],
    is_stale: Callable[[], bool] = never,
    on_workers: bool | None = None,
    in_bulk: bool = False,
) -> dict[SentenceRequest, Solution]:
    """Solves sentences for the calling thread; those with one model and one threshold share decoder calls.

    `on_workers` and `in_bulk` are as in `SentenceSolver.solve`.
    """
    groups: dict[tuple[SentenceSolver, float], list[str]] = {}
    for request in requests:
        groups.setdefault((request.solver, request.threshold), []).append(request.sentence)
    solved: dict[SentenceRequest, Solution] = {}
    for (solver, threshold), sentences in groups.items():
        for sentence, solution in solver.solve(sentences, threshold, is_stale, on_workers, in_bulk).items():
            solved[SentenceRequest(solver, sentence, threshold)] = solution
    return solved


class RunTask(Protocol):
    """Runs a task on a model: calls it with a worker, as in `SentenceSolver.decode_pass`."""

    def __call__(self, task: Callable[[int | None], _V], /) -> _V: ...


def run_task(task: Callable[[int | None], _V]) -> _V:
    """Runs a task in the calling thread, on the engine itself."""
    return task(None)
