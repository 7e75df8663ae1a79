"""Correctors that keep no results, so that every sentence is decoded when it is measured."""

from __future__ import annotations

from typing import Any

from redraft.check.corrector import Corrector
from redraft.check.loading import load


def load_uncached(**options: Any) -> Corrector:
    """The corrector that `redraft.load` opens with these options, without its cache."""
    return without_cache(load(**options))


def without_cache(corrector: Corrector, **changes: Any) -> Corrector:
    """A copy of a corrector without a cache; `changes` are changed `SolverOptions`."""
    return corrector.with_solver_options(cached_sentences=0, **changes)
