"""The interface between the decoding loop and the engines that run the model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable


@dataclass(frozen=True, slots=True)
class Feed:
    """Tokens to feed to one row."""

    row: int
    ids: Sequence[int]


@dataclass(frozen=True, slots=True)
class Predictions:
    """After each token fed: the likeliest id, and its log-probability."""

    ids: Sequence[int]
    log_probabilities: Sequence[float]


@dataclass(frozen=True, slots=True)
class Ranking:
    """The best continuations of one row after its last token, best first."""

    ids: Sequence[int]
    log_probabilities: Sequence[float]


class Stepper(Protocol):
    """Source sentences, one a row, and the tokens fed to each so far.

    What is predicted after a token depends on the row's source and on the tokens before it alone: not on how many
    tokens came in one call, and not on the other rows.
    """

    def extend(self, feeds: Sequence[Feed]) -> list[Predictions]:
        """Feeds each row its tokens, all rows in one call of the decoder."""
        ...

    def rewind(self, row: int, length: int) -> None:
        """Keeps the first `length` tokens of a row and discards the others."""
        ...


class BeamStepper(Stepper, Protocol):
    """A stepper with the methods that beam search needs."""

    def rank(self, feeds: Sequence[Feed], best: int) -> list[Ranking]:
        """Feeds like `extend`; returns the `best` likeliest continuations of each row."""
        ...

    def select(self, rows: Sequence[int]) -> None:
        """Makes row i a copy of the former row rows[i]; afterwards there are len(rows) rows."""
        ...


class Engine(Protocol):
    """Runs one model on one kind of hardware."""

    name: str
    max_tokens: int
    """The longest source and target, without <bos> and <eos>."""

    def start(self, sources: Sequence[Sequence[int]]) -> BeamStepper:
        """Encodes the sources, each without <eos>, and returns a stepper with a row for each."""
        ...


@runtime_checkable
class ParallelEngine(Engine, Protocol):
    """An engine without padding that can decode several batches at the same time."""

    @property
    def workers(self) -> Sequence[Engine]:
        """Engines with the same model that run at the same time, each in the thread that calls it."""
        ...
