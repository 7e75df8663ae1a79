"""Which sentence is in which row: the host's part of continuous batching, in arrays."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from redraft.engines.cuda.bulk.sentences import Integers, SourceSentences

_NONE = -1


@dataclass(frozen=True, slots=True)
class Group:
    """Sentences to encode together, and the row of each."""

    sentences: SourceSentences
    rows: Integers


@dataclass(frozen=True, slots=True)
class FinishedRows:
    rows: Integers
    keys: Integers


class Schedule:
    """Hands out free rows to sentences, in groups that fill an encoder call."""

    def __init__(
        self, batches: Iterable[SourceSentences], *, rows: int, encoder_tokens: int, max_tokens: int, eos: int
    ) -> None:
        self._batches = iter(batches)
        self._encoder_tokens, self._max_tokens, self._eos = encoder_tokens, max_tokens, eos
        self._waiting = SourceSentences.build([], eos)
        self._keys = np.full(rows, _NONE, dtype=np.int64)
        self._begun = np.zeros(rows, dtype=np.int64)
        """The round in which each row got its sentence."""

    @property
    def busy(self) -> bool:
        """True if some row holds a sentence."""
        return bool((self._keys != _NONE).any())

    def next_group(self, round_number: int) -> Group | None:
        """Sentences for free rows, which begin in this round; None while too few rows are free, or none are left."""
        self._read()
        if not len(self._waiting):
            return None
        free = np.flatnonzero(self._keys == _NONE)
        fitting = int(np.searchsorted(self._waiting.offsets, self._encoder_tokens, side="right")) - 1
        # A call costs the same for few sentences as for many. Unless all rows are needed for that, wait for it to fill.
        if len(free) < min(fitting, (len(self._keys) + 1) // 2):
            return None
        count = min(fitting, len(free))
        rows = free[:count]
        sentences = self._waiting.part(0, count)
        self._waiting = self._waiting.part(count, len(self._waiting))
        self._keys[rows] = sentences.keys
        self._begun[rows] = round_number
        return Group(sentences, rows)

    def collect(self, done: npt.NDArray[np.bool_], round_number: int) -> FinishedRows:
        """Frees the rows that were finished after this round. A row that got its sentence later is another's."""
        rows = np.flatnonzero(done & (self._keys != _NONE) & (self._begun <= round_number))
        keys = self._keys[rows]
        self._keys[rows] = _NONE
        return FinishedRows(rows, keys)

    def _read(self) -> None:
        """Reads sentences until they fill an encoder call."""
        while len(self._waiting.ids) < self._encoder_tokens:
            batch = next(self._batches, None)
            if batch is None:
                return
            self._check(batch)
            self._waiting = SourceSentences.join(self._waiting, batch)

    def _check(self, batch: SourceSentences) -> None:
        sizes = np.diff(batch.offsets)
        if len(batch) and sizes.max() > self._max_tokens + 1:
            raise ValueError(f"a sentence has {sizes.max() - 1} tokens; the model takes at most {self._max_tokens}")
        ends = np.flatnonzero(batch.ids == self._eos)
        if not np.array_equal(ends, batch.offsets[1:] - 1):
            raise ValueError("<eos> must be the last token of each source, and of none any other")
