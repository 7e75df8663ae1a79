"""Interleaved timing of several methods on the same sentences."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

Method = Callable[[int], int]
"""Decodes the sentence with this number and returns the number of decoder calls."""
PERCENTILES = (50, 90, 99)


@dataclass(frozen=True, slots=True)
class Turn:
    """One timed sentence: wall-clock and processor time in milliseconds, and decoder calls."""

    clock: float
    processor: float
    calls: int


@dataclass(frozen=True, slots=True)
class Timing:
    """The turns of one method by number; a method that is timed seldom has gaps."""

    turns: dict[int, Turn] = field(default_factory=dict)

    def add(self, number: int, work: Callable[[], int]) -> None:
        clock, processor = time.perf_counter(), time.process_time()
        calls = work()
        self.turns[number] = Turn(1000 * (time.perf_counter() - clock), 1000 * (time.process_time() - processor), calls)

    def select(self, numbers: Iterable[int]) -> Timing:
        """The timing restricted to some of the turns."""
        return Timing({number: self.turns[number] for number in numbers})

    @property
    def clock(self) -> list[float]:
        return [turn.clock for turn in self.turns.values()]

    @property
    def processor(self) -> list[float]:
        return [turn.processor for turn in self.turns.values()]

    @property
    def calls(self) -> list[int]:
        return [turn.calls for turn in self.turns.values()]

    @property
    def seconds(self) -> float:
        return sum(self.clock) / 1000

    def to_mapping(self) -> dict[str, Any]:
        """Means and percentiles for a report; only the count if there are no turns."""
        if not self.turns:
            return {"sentences": 0}
        percentiles = np.percentile(self.clock, PERCENTILES)
        figures = {
            "seconds": self.seconds,
            "mean": np.mean(self.clock),
            **{f"p{share}": value for share, value in zip(PERCENTILES, percentiles, strict=True)},
            "processor": np.mean(self.processor),
            "calls": np.mean(self.calls),
        }
        return {"sentences": len(self.turns), **{name: round(float(value), 4) for name, value in figures.items()}}


def take_turns(
    methods: Mapping[str, Method],
    sentences: Sequence[int] | int,
    advance: Callable[[], None] = lambda: None,
    *,
    seldom: Collection[str] = (),
    every: int = 1,
    seconds: float = math.inf,
) -> dict[str, Timing]:
    """Times all methods sentence by sentence, so that a slow moment of the machine affects all of them.

    The method that goes first changes from sentence to sentence. Each method warms up on one sentence. `advance` is
    called after each sentence. The methods in `seldom` are timed only in every `every`-th turn. No turn is begun after
    `seconds` seconds.
    """
    numbers = range(sentences) if isinstance(sentences, int) else sentences
    timings = {name: Timing() for name in methods}
    names = list(methods)
    if len(numbers):
        for method in methods.values():
            method(numbers[0])
    begun = time.perf_counter()
    for turn, number in enumerate(numbers):
        first = turn % max(1, len(names))
        for name in (*names[first:], *names[:first]):
            if turn % every == 0 or name not in seldom:
                timings[name].add(turn, partial(methods[name], number))
        advance()
        if time.perf_counter() - begun > seconds:
            break
    return timings


def ratio(slower: Timing, faster: Timing) -> float:
    """Wall-clock time of one method divided by that of the other, over the turns that both had."""
    return _divide(slower, faster, lambda turn: turn.clock)


def processor_ratio(slower: Timing, faster: Timing) -> float:
    """The same ratio of processor time, which other programs affect less."""
    return _divide(slower, faster, lambda turn: turn.processor)


def _divide(one: Timing, other: Timing, measure: Callable[[Turn], float]) -> float:
    common = one.turns.keys() & other.turns.keys()
    sums = [sum(measure(timing.turns[number]) for number in common) for timing in (one, other)]
    return round(sums[0] / max(1e-9, sums[1]), 2)
