"""The part of a stepper that engines share: rows of different lengths, padded to a rectangle."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt

from redraft.decode.stepper import Feed, Predictions, Ranking
from redraft.errors import ModelError

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Best:
    """The likeliest id at every position, and its log-probability: (rows, tokens) each."""

    ids: Ints
    log_probabilities: Floats


@dataclass(frozen=True, slots=True)
class PaddedSources:
    """Sources with <eos> behind each, padded to a rectangle (rows, tokens), and their lengths with <eos>."""

    ids: Ints
    lengths: Ints


def pad_sources(sources: Sequence[Sequence[int]], eos: int) -> PaddedSources:
    lengths = np.array([len(source) + 1 for source in sources], dtype=np.int64)
    ids = np.zeros((len(sources), lengths.max()), dtype=np.int64)
    for row, source in enumerate(sources):
        ids[row, : len(source)] = source
        ids[row, len(source)] = eos
    return PaddedSources(ids, lengths)


def rank_logits(logits: Floats, best: int) -> list[Ranking]:
    """The `best` likeliest ids of each row."""
    highest = logits.max(axis=-1, keepdims=True)
    scores = logits - highest - np.log(np.exp(logits - highest).sum(axis=-1, keepdims=True))
    chosen = np.argpartition(-scores, best - 1, axis=-1)[:, :best]
    order = np.argsort(-np.take_along_axis(scores, chosen, axis=-1), axis=-1, kind="stable")
    ids = np.take_along_axis(chosen, order, axis=-1)
    values = np.take_along_axis(scores, ids, axis=-1)
    return [Ranking(*pair) for pair in zip(ids.tolist(), values.tolist(), strict=True)]


def refuse_infinite(log_probabilities: Sequence[float]) -> None:
    if not math.isfinite(sum(log_probabilities)):
        raise ModelError("the model computes numbers that are not finite; its weights are damaged, or overflow")


Logits = TypeVar("Logits")


class RowStepper(ABC, Generic[Logits]):
    """Keeps each row's length and pads the tokens of a call to a rectangle.

    A row's tokens have positions 0, 1, …, and a token sees only positions up to its own. Padding is fed at positions
    after a row's own tokens, where no token sees it, and the next tokens overwrite it. Finished rows are dropped once
    they are half of all rows, so that no time is spent on them while a few long sentences are decoded.
    """

    def __init__(self, rows: int, capacity: int) -> None:
        self._lengths = [0] * rows
        self._places = list(range(rows))
        """The row of the engine's tensors that holds row i; -1 if it was dropped."""
        self._capacity = capacity

    @abstractmethod
    def _decode(self, ids: Ints, positions: Ints, counts: Ints) -> Logits:
        """Feeds ids at positions, (rows, tokens) each, and returns the logits after each of them.

        The first counts[row] of each row are tokens, the others padding, which an engine may leave out."""

    @abstractmethod
    def _best(self, logits: Logits) -> Best:
        """The likeliest id at every position, and its log-probability."""

    @abstractmethod
    def _rank(self, logits: Logits, last: Ints, best: int) -> list[Ranking]:
        """The `best` likeliest continuations of each row after its token number last[row]."""

    @abstractmethod
    def _keep(self, places: Ints) -> None:
        """Rearranges the engine's tensors: row i becomes the former row places[i]."""

    def extend(self, feeds: Sequence[Feed]) -> list[Predictions]:
        logits, places = self._feed(feeds)
        best = self._best(logits)
        found = [
            Predictions(
                best.ids[place, : len(feed.ids)].tolist(), best.log_probabilities[place, : len(feed.ids)].tolist()
            )
            for feed, place in zip(feeds, places, strict=True)
        ]
        for predictions in found:
            refuse_infinite(predictions.log_probabilities)
        return found

    def rank(self, feeds: Sequence[Feed], best: int) -> list[Ranking]:
        logits, places = self._feed(feeds)
        last = np.zeros(len(self._used()), dtype=np.int64)
        last[places] = [len(feed.ids) - 1 for feed in feeds]
        rankings = self._rank(logits, last, best)
        return [rankings[place] for place in places]

    def rewind(self, row: int, length: int) -> None:
        if not 0 <= length <= self._lengths[row]:
            raise ValueError(f"row {row} has {self._lengths[row]} tokens: it cannot be rewound to {length}")
        self._lengths[row] = length

    def select(self, rows: Sequence[int]) -> None:
        self._keep(np.array([self._places[row] for row in rows], dtype=np.int64))
        self._lengths = [self._lengths[row] for row in rows]
        self._places = list(range(len(rows)))

    def _used(self) -> set[int]:
        return {place for place in self._places if place >= 0}

    def _feed(self, feeds: Sequence[Feed]) -> tuple[Logits, list[int]]:
        self._drop_finished([feed.row for feed in feeds])
        places = [self._places[feed.row] for feed in feeds]
        rows = len(self._used())
        width = max(len(feed.ids) for feed in feeds)
        ids = np.zeros((rows, width), dtype=np.int64)
        starts, counts = np.zeros(rows, dtype=np.int64), np.zeros(rows, dtype=np.int64)
        for row, place in enumerate(self._places):
            if place >= 0:
                starts[place] = self._lengths[row]
        for feed, place in zip(feeds, places, strict=True):
            ids[place, : len(feed.ids)] = feed.ids
            counts[place] = len(feed.ids)
            self._lengths[feed.row] += len(feed.ids)
        positions = starts[:, None] + np.arange(width)
        # No target reaches the last slot (see loop.length_limit): padding beyond it is written there.
        np.minimum(positions, self._capacity - 1, out=positions)
        return self._decode(ids, positions, counts), places

    def _drop_finished(self, active: Sequence[int]) -> None:
        used = len(self._used())
        if 2 * len(active) > used:
            return
        self._keep(np.array([self._places[row] for row in active], dtype=np.int64))
        self._places = [-1] * len(self._places)
        for place, row in enumerate(active):
            self._places[row] = place
