"""Memory that the C library reads and writes: tokens of several rows, and their keys and values."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from redraft.engines.native.library import Batch, KeyValuePointers, floats, ints
from redraft.engines.rows import Ints
from redraft.model.config import ModelConfig

_LANES = 16
_T = TypeVar("_T", bound=np.generic)


class TokenBatch:
    """Tokens of all rows, one after another, each with its position in its row."""

    def __init__(self, ids: Ints, starts: Ints, counts: Ints) -> None:
        self.ids = ids
        self.counts = counts
        """Tokens of each row."""
        self._offsets = np.concatenate(([0], np.cumsum(counts)))
        self._positions = np.arange(len(ids)) - np.repeat(self._offsets[:-1] - starts, counts)

    def pointer(self) -> Any:
        """Valid as long as this object."""
        return Batch(len(self._offsets) - 1, ints(self.ids), ints(self._positions), ints(self._offsets))

    def split(self, values: npt.NDArray[_T]) -> list[npt.NDArray[_T]]:
        """What belongs to each row, of an array with an entry for each token."""
        return np.split(values, self._offsets[1:-1])


class KeyValueCache:
    """Keys and values of every layer, row and head."""

    def __init__(self, config: ModelConfig, rows: int, tokens: int) -> None:
        self._outer = (config.decoder_layers, rows, config.heads)
        self._width = config.head_width
        self._capacity = -(-tokens // _LANES) * _LANES
        # Uninitialized: slots are read only after they were written.
        self._keys = np.empty((*self._outer, self._width, self._capacity), dtype=np.float32)
        self._values = np.empty((*self._outer, self._capacity, self._width), dtype=np.float32)

    def pointer(self) -> Any:
        return KeyValuePointers(floats(self._keys), floats(self._values), self._capacity)

    def reserve(self, tokens: int) -> None:
        """Grows to hold at least this number of tokens."""
        if tokens <= self._capacity:
            return
        capacity = -(-max(tokens, 2 * self._capacity) // _LANES) * _LANES
        keys = np.empty((*self._keys.shape[:-1], capacity), dtype=np.float32)
        values = np.empty((*self._values.shape[:-2], capacity, self._width), dtype=np.float32)
        keys[..., : self._capacity], values[..., : self._capacity, :] = self._keys, self._values
        self._keys, self._values, self._capacity = keys, values, capacity

    def keep(self, places: Ints) -> None:
        self._keys, self._values = (np.ascontiguousarray(part[:, places]) for part in (self._keys, self._values))
