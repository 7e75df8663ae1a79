"""Packed batches: sentences laid end to end in rows of a fixed size, so that no step computes padding.

A worker fills *units*. A unit is one flat row of 32-bit numbers whose fields lie at fixed places, and several units one
after another make a larger batch of the same kind. Every slot belongs to a sentence: what is left at the end is made
into sentences of padding, whose loss counts nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from redraft.errors import InputError
from redraft.tokens.tokenizer import BOS, EOS, PAD

Numbers = NDArray[np.int32]

SLOTS_PER_SENTENCE = 16
"""Room for sentences: one for each so many token slots. Shorter sentences on average leave slots to padding."""
MOST_SKIPPED = 100_000


@dataclass(frozen=True)
class Layout:
    """Where the fields of a unit lie in its row of numbers."""

    tokens: int
    longest: int
    """Tokens of the longest sentence, <bos> or <eos> counted."""

    @property
    def sentences(self) -> int:
        return max(1, self.tokens // SLOTS_PER_SENTENCE) + -(-self.tokens // self.longest)

    @cached_property
    def fields(self) -> dict[str, slice]:
        places, start = {}, 0
        for name in ("source_ids", "source_positions", "target_ids", "target_positions", "labels", "weights"):
            places[name] = slice(start, start + self.tokens)
            start += self.tokens
        for name in ("source_offsets", "target_offsets"):
            places[name] = slice(start, start + self.sentences + 1)
            start += self.sentences + 1
        return places

    @property
    def size(self) -> int:
        return int(self.fields["target_offsets"].stop)

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


class Packer:
    """Fills one unit after another from a stream of encoded pairs."""

    def __init__(self, layout: Layout, pairs: Iterator[Encoded], changed_weight: float = 1.0) -> None:
        self.layout = layout
        self._pairs = pairs
        self._changed_weight = changed_weight
        self._pending: Encoded | None = None

    def fill(self, unit: Numbers) -> UnitReport:
        layout = self.layout
        room = layout.tokens // SLOTS_PER_SENTENCE
        sources, targets, weights = _Side(), _Side(), bytearray()
        skipped = 0
        state: tuple[int, ...] = ()
        while len(sources.lengths) < max(1, room):
            pair = self._pending or next(self._pairs)
            self._pending = None
            longest = max(len(pair.source), len(pair.target)) + 1
            if longest > layout.longest or not pair.source or not pair.target:
                skipped += 1
                if skipped > MOST_SKIPPED:
                    raise InputError(
                        f"{skipped} sentences in a row are empty or longer than data.longest {layout.longest}"
                    )
                state = tuple(pair.state)
                continue
            if not (sources.fits(pair.source, layout.tokens) and targets.fits(pair.target, layout.tokens)):
                self._pending = pair
                break
            sources.add(pair.source)
            targets.add(pair.target)
            if self._changed_weight != 1.0:
                weights += bytes(changed_tokens(pair.source, pair.target))
            state = tuple(pair.state)
        self._write_source(unit, sources)
        self._write_target(unit, targets, weights)
        return UnitReport(len(sources.lengths), len(targets.ids), skipped, state)

    def _write_source(self, unit: Numbers, side: _Side) -> None:
        layout = self.layout
        ids = layout.field(unit, "source_ids")
        ids[: len(side.ids)] = side.ids
        ids[len(side.ids) :] = PAD
        self._write_places(unit, "source", side)

    def _write_target(self, unit: Numbers, side: _Side, changed: bytearray) -> None:
        layout, used = self.layout, len(side.ids)
        labels = layout.field(unit, "labels")
        labels[:used] = side.ids
        labels[used:] = PAD
        weights = layout.weights(unit)
        weights[:used] = 1.0
        if changed:
            weights[:used] += (self._changed_weight - 1.0) * np.frombuffer(changed, np.uint8)
        weights[used:] = 0.0
        offsets = self._write_places(unit, "target", side)
        ids = layout.field(unit, "target_ids")
        ids[1:] = labels[:-1]
        ids[used:] = PAD
        ids[offsets[: len(side.lengths)]] = BOS

    def _write_places(self, unit: Numbers, name: str, side: _Side) -> Numbers:
        """Offsets and positions, the padding included."""
        layout = self.layout
        lengths = [*side.lengths]
        rest = layout.tokens - len(side.ids)
        while rest:
            lengths.append(min(rest, layout.longest))
            rest -= lengths[-1]
        ends = np.cumsum(lengths, dtype=np.int32)
        offsets = layout.field(unit, f"{name}_offsets")
        offsets[0] = 0
        offsets[1 : len(ends) + 1] = ends
        offsets[len(ends) + 1 :] = layout.tokens
        starts = np.repeat(offsets[: len(ends)], lengths)
        np.subtract(np.arange(layout.tokens, dtype=np.int32), starts, out=layout.field(unit, f"{name}_positions"))
        return offsets


class _Side:
    """Sources or targets of a unit, each followed by <eos>."""

    def __init__(self) -> None:
        self.ids: list[int] = []
        self.lengths: list[int] = []

    def fits(self, ids: Sequence[int], room: int) -> bool:
        return len(self.ids) + len(ids) + 1 <= room

    def add(self, ids: Sequence[int]) -> None:
        self.ids += ids
        self.ids.append(EOS)
        self.lengths.append(len(ids) + 1)
