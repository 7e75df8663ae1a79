"""Packing: sentences side by side in windows of a fixed size, so that little of a batch is padding.

A worker fills *packs*. A pack is a flat array of 32-bit numbers whose fields have fixed offsets, and several packs make
one batch. Windows are as `redraft.model.windows` describes them: a sentence never crosses the end of its window, and
the two sides of a pair are in windows of the same number.
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

MAX_SKIPPED = 100_000
MAX_FILL = 0.99
"""Share of a pack that is filled at most. Beyond it, the last pair would often fit into no window."""


@dataclass(frozen=True)
class Layout:
    """Offsets of the fields of a pack."""

    tokens: int
    max_length: int
    """Tokens of the longest sentence, including <bos> or <eos>."""

    def __post_init__(self) -> None:
        if self.tokens % self.window:
            raise ConfigError(
                f"data.pack_tokens must be a multiple of {self.window} if data.max_length is {self.max_length}"
            )

    @cached_property
    def window(self) -> int:
        """Tokens of a window: max_length rounded up to a power of two, as the GPU kernel needs it."""
        return 1 << (self.max_length - 1).bit_length()

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

    def field(self, pack: Numbers, name: str) -> Numbers:
        return pack[..., self.fields[name]]

    def weights(self, pack: Numbers) -> NDArray[np.float32]:
        return self.field(pack, "weights").view(np.float32)


@dataclass(slots=True)
class DrawnPair:
    """Token ids of a pair, without <bos> and <eos>, on its way into a pack."""

    source: Sequence[int]
    target: Sequence[int]
    counters: Sequence[int] = ()
    """Counters of the partition after this pair: what a checkpoint needs to go on behind it."""
    skipped: int = 0
    """Pairs before it that were left out."""
    labels: Sequence[int] = ()
    weights: Sequence[float] = ()
    """What the network is to predict at each target slot, and the weights of these labels in the loss; if empty, the
    target and <eos>, weighted by `changed_weight`."""

    @property
    def slots(self) -> int:
        """Slots that the pair takes in its windows."""
        return max(len(self.source), len(self.target)) + 1


@dataclass(frozen=True, slots=True)
class PackReport:
    """What a pack holds, and the counters of the partition after it."""

    pairs: int
    tokens: int
    """Target tokens."""
    skipped: int
    """Pairs that were left out because they were empty or too long."""
    counters: tuple[int, ...]


def changed_tokens(source: Sequence[int], target: Sequence[int]) -> list[bool]:
    """For each target token and the end: whether it differs from the source.

    A token is copied if the source has the same token after the same previous token. So the token after a deletion or a
    replacement counts as changed too: there the model must find the right place in the source again.
    """
    known = set(zip((BOS, *source), (*source, EOS), strict=True))
    return [pair not in known for pair in zip((BOS, *target), (*target, EOS), strict=True)]


class Packer:
    """Fills one pack after another from a stream of pairs. The pairs of a pack are consecutive in the stream, so the
    counters of its last pair are all that is needed to go on."""

    def __init__(self, layout: Layout, pairs: Iterator[DrawnPair], changed_weight: float = 1.0) -> None:
        self.layout = layout
        self._pairs = pairs
        self._changed_weight = changed_weight
        self._waiting: deque[DrawnPair] = deque()
        self._counting = np.arange(layout.window, dtype=np.int32)

    def fill(self, pack: Numbers) -> PackReport:
        layout = self.layout
        chosen: list[DrawnPair] = []
        free = int(layout.tokens * MAX_FILL)
        while (free := free - self._peek().slots) >= 0 or not chosen:
            chosen.append(self._waiting.popleft())
        while (windows := arrange([pair.slots for pair in chosen], layout)) is None:
            self._waiting.appendleft(chosen.pop())
        pack[:] = 0  # <pad>, and the segment and the weight of padding, are all 0
        for number, window in enumerate(windows):
            self._write(pack, number * layout.window, [chosen[index] for index in window])
        return PackReport(
            pairs=len(chosen),
            tokens=sum(len(pair.target) + 1 for pair in chosen),
            skipped=sum(pair.skipped for pair in chosen),
            counters=tuple(chosen[-1].counters),
        )

    def _peek(self) -> DrawnPair:
        """The next pair that is neither empty nor too long."""
        if not self._waiting:
            for skipped in range(MAX_SKIPPED):
                pair = next(self._pairs)
                if pair.slots <= self.layout.max_length and pair.source and pair.target:
                    pair.skipped = skipped
                    self._waiting.append(pair)
                    break
            else:
                raise InputError(
                    f"{MAX_SKIPPED} pairs in a row are empty or longer than data.max_length {self.layout.max_length}"
                )
        return self._waiting[0]

    def _write(self, pack: Numbers, start: int, pairs: Sequence[DrawnPair]) -> None:
        """Writes pairs into the window that begins at `start`."""
        field = self.layout.fields
        source, target = start, start
        weights = self.layout.weights(pack)
        for segment, pair in enumerate(pairs, 1):
            source_end, target_end = source + len(pair.source) + 1, target + len(pair.target) + 1
            for name, begin, end, values in (
                ("source_ids", source, source_end, [*pair.source, EOS]),
                ("source_positions", source, source_end, self._counting[: source_end - source]),
                ("source_segments", source, source_end, segment),
                ("target_ids", target, target_end, [BOS, *pair.target]),
                ("target_positions", target, target_end, self._counting[: target_end - target]),
                ("target_segments", target, target_end, segment),
                ("labels", target, target_end, pair.labels or [*pair.target, EOS]),
            ):
                first = field[name].start
                pack[first + begin : first + end] = values
            weights[target:target_end] = pair.weights or 1.0
            if self._changed_weight != 1.0 and not pair.weights:
                weights[target:target_end][changed_tokens(pair.source, pair.target)] = self._changed_weight
            source, target = source_end, target_end


def arrange(slots: Sequence[int], layout: Layout) -> list[list[int]] | None:
    """The pairs of each window, given the slots of each pair: the longest first, each into the fullest window that has
    space for it (best-fit decreasing). None if they do not fit."""
    windows: list[list[int]] = [[] for _ in range(layout.tokens // layout.window)]
    free = [(layout.window, number) for number in range(len(windows))]  # sorted
    for index in sorted(range(len(slots)), key=lambda index: -slots[index]):
        found = bisect_left(free, (slots[index], 0))
        if found == len(free):
            return None
        left, number = free.pop(found)
        windows[number].append(index)
        insort(free, (left - slots[index], number))
    return windows
