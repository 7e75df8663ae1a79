"""Times of several methods on the same sentences, taken in turns."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

Method = Callable[[int], int]
"""Works on the sentence of that number and says how many decoder calls that took."""
PERCENTILES = (50, 90, 99)


@dataclass(frozen=True, slots=True)
class Turn:
    """What one sentence took: milliseconds by the clock and of all processors, and decoder calls."""

    clock: float
    processor: float
    calls: int


@dataclass(frozen=True, slots=True)
class Timing:
    """What a method took in each of its turns, by their number; who is timed seldom has no turn in between."""

    turns: dict[int, Turn] = field(default_factory=dict)

    def add(self, number: int, work: Callable[[], int]) -> None:
        clock, processor = time.perf_counter(), time.process_time()
        calls = work()
        self.turns[number] = Turn(1000 * (time.perf_counter() - clock), 1000 * (time.process_time() - processor), calls)

    def select(self, numbers: Iterable[int]) -> Timing:
        """The same of some of the turns."""
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
        """Figures that a report shows; what nothing was timed for has no figures."""
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
    """Times all methods sentence by sentence, so that whatever slows the machine down slows all of them down.

    Who begins changes from sentence to sentence. Each method gets one sentence to warm up on. `advance` is called after
    each sentence. Slow methods may be timed `seldom`, in the first of `every` so many turns. What is not begun when
    `seconds` have passed is left out.
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
    """How many times as long one took as the other, by the clock, over the turns that both had."""
    return _divide(slower, faster, lambda turn: turn.clock)


def processor_ratio(slower: Timing, faster: Timing) -> float:
    """The same in time of processors, which other programs disturb less."""
    return _divide(slower, faster, lambda turn: turn.processor)


def _divide(one: Timing, other: Timing, measure: Callable[[Turn], float]) -> float:
    common = one.turns.keys() & other.turns.keys()
    sums = [sum(measure(timing.turns[number]) for number in common) for timing in (one, other)]
    return round(sums[0] / max(1e-9, sums[1]), 2)
