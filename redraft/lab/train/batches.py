"""Packed batches: sentences side by side in windows of a fixed size, so that steps compute hardly any padding.

A worker fills *units*. A unit is one flat row of 32-bit numbers whose fields lie at fixed places, and several units one
after another make a larger batch of the same kind. What `redraft.model.windows` says of windows holds here: none of a
pair's tokens lies beyond the end of its window, and both its sides lie in windows of the same number.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from redraft.errors import ConfigError, InputError
from redraft.tokens.tokenizer import BOS, EOS

Numbers = NDArray[np.int32]

MOST_SKIPPED = 100_000
FULLEST = 0.99
"""Tokens are drawn until they would fill a unit so far. Closer to the brim a pair would often find no window."""


@dataclass(frozen=True)
class Layout:
    """Where the fields of a unit lie in its row of numbers."""

    tokens: int
    longest: int
    """Tokens of the longest sentence, <bos> or <eos> counted."""

    def __post_init__(self) -> None:
        if self.tokens % self.window:
            raise ConfigError(f"data.unit must be a multiple of {self.window} where data.longest is {self.longest}")

    @cached_property
    def window(self) -> int:
        """The next power of two: windows are what one block of a GPU's threads works on."""
        return 1 << (self.longest - 1).bit_length()

    @cached_property
    def fields(self) -> dict[str, slice]:
        names = (
            *("source_ids", "source_positions", "source_segments"),
            *("target_ids", "target_positions", "target_segments"),
            *("labels", "weights"),
        )
        return {name: slice(place * self.tokens, (place + 1) * self.tokens) for place, name in enumerate(names)}

    @property
    def size(self) -> int:
        return len(self.fields) * self.tokens

    def field(self, unit: Numbers, name: str) -> Numbers:
        return unit[..., self.fields[name]]

    def weights(self, unit: Numbers) -> NDArray[np.float32]:
        return self.field(unit, "weights").view(np.float32)


@dataclass(frozen=True, slots=True)
class Encoded:
    """A pair as token ids, without <bos> and <eos>, and the state of the data after it."""

    source: Sequence[int]
    target: Sequence[int]
    state: Sequence[int]


@dataclass(frozen=True, slots=True)
class UnitReport:
    """What went into a unit, and where the data stands after it."""

    pairs: int
    tokens: int
    """Target tokens."""
    skipped: int
    """Sentences that were too long."""
    state: tuple[int, ...]


def changed_tokens(source: Sequence[int], target: Sequence[int]) -> list[bool]:
    """For each target token and the end: does it differ from the source?

    A token counts as copied when the source has the same token after the same neighbour. So the token behind a deletion
    or a replacement counts as changed too: the model must know there to take up the source again at the right place.
    """
    known = set(zip((BOS, *source), (*source, EOS), strict=True))
    return [pair not in known for pair in zip((BOS, *target), (*target, EOS), strict=True)]


@dataclass(frozen=True, slots=True)
class _Drawn:
    pair: Encoded
    skipped: int
    """Sentences that were left out before it."""

    @property
    def room(self) -> int:
        return max(len(self.pair.source), len(self.pair.target)) + 1


class Packer:
    """Fills one unit after another from a stream of encoded pairs. Those of a unit follow one another in the stream, so
    that the state behind its last one is all that is needed to go on."""

    def __init__(self, layout: Layout, pairs: Iterator[Encoded], changed_weight: float = 1.0) -> None:
        self.layout = layout
        self._pairs = pairs
        self._changed_weight = changed_weight
        self._waiting: deque[_Drawn] = deque()
        self._counting = np.arange(layout.window, dtype=np.int32)

    def fill(self, unit: Numbers) -> UnitReport:
        layout = self.layout
        chosen: list[_Drawn] = []
        room = int(layout.tokens * FULLEST)
        while (room := room - self._peek().room) >= 0 or not chosen:
            chosen.append(self._waiting.popleft())
        while (windows := arrange([drawn.room for drawn in chosen], layout)) is None:
            self._waiting.appendleft(chosen.pop())
        unit[:] = 0  # <pad>, the segment of padding and its weight are all 0
        for number, window in enumerate(windows):
            self._write(unit, number * layout.window, [chosen[place].pair for place in window])
        return UnitReport(
            pairs=len(chosen),
            tokens=sum(len(drawn.pair.target) + 1 for drawn in chosen),
            skipped=sum(drawn.skipped for drawn in chosen),
            state=tuple(chosen[-1].pair.state),
        )

    def _peek(self) -> _Drawn:
        """The pair that comes next."""
        if not self._waiting:
            for skipped in range(MOST_SKIPPED):
                pair = next(self._pairs)
                drawn = _Drawn(pair, skipped)
                if drawn.room <= self.layout.longest and pair.source and pair.target:
                    self._waiting.append(drawn)
                    break
            else:
                raise InputError(
                    f"{MOST_SKIPPED} sentences in a row are empty or longer than data.longest {self.layout.longest}"
                )
        return self._waiting[0]

    def _write(self, unit: Numbers, start: int, pairs: Sequence[Encoded]) -> None:
        """Lays the pairs into the window that begins at `start`."""
        field = self.layout.fields
        source, target = start, start
        weights = self.layout.weights(unit)
        for segment, pair in enumerate(pairs, 1):
            source_end, target_end = source + len(pair.source) + 1, target + len(pair.target) + 1
            for name, begin, end, values in (
                ("source_ids", source, source_end, [*pair.source, EOS]),
                ("source_positions", source, source_end, self._counting[: source_end - source]),
                ("source_segments", source, source_end, segment),
                ("target_ids", target, target_end, [BOS, *pair.target]),
                ("target_positions", target, target_end, self._counting[: target_end - target]),
                ("target_segments", target, target_end, segment),
                ("labels", target, target_end, [*pair.target, EOS]),
            ):
                first = field[name].start
                unit[first + begin : first + end] = values
            weights[target:target_end] = 1.0
            if self._changed_weight != 1.0:
                weights[target:target_end][changed_tokens(pair.source, pair.target)] = self._changed_weight
            source, target = source_end, target_end


def arrange(rooms: Sequence[int], layout: Layout) -> list[list[int]] | None:
    """Which pairs go into each window, given the room each needs: the longest first, each where least is left over.
    None when some window would have to be cut."""
    windows: list[list[int]] = [[] for _ in range(layout.tokens // layout.window)]
    free = [(layout.window, number) for number in range(len(windows))]  # sorted
    for place in sorted(range(len(rooms)), key=lambda place: -rooms[place]):
        found = bisect_left(free, (rooms[place], 0))
        if found == len(free):
            return None
        left, number = free.pop(found)
        windows[number].append(place)
        insort(free, (left - rooms[place], number))
    return windows
