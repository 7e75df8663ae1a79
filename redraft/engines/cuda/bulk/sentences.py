"""Many sentences as arrays: what goes into a bulk decoder and what comes out, without a Python object for each."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from redraft.decode.loop import Decoded, SourceBatch

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class SourceSentences:
    """Token ids of sentences, each followed by <eos>, one behind the other: sentence i is
    ids[offsets[i]:offsets[i + 1]]. `keys` numbers them; results are returned under these numbers."""

    ids: Integers
    offsets: Integers
    keys: Integers
    limits: Floats | None = None
    """For each token, the least log-probability of the first token of an edit that begins there. For <eos> it is the
    one that an end of the sentence within an edit needs too. None for the decoder's threshold everywhere."""

    @classmethod
    def build(cls, sources: Sequence[Sequence[int]], eos: int, first_key: int = 0) -> SourceSentences:
        offsets = np.zeros(len(sources) + 1, dtype=np.int64)
        np.cumsum([len(source) + 1 for source in sources], out=offsets[1:])
        ids = np.fromiter((token for source in sources for token in (*source, eos)), np.int64, offsets[-1])
        return cls(ids, offsets, np.arange(first_key, first_key + len(sources)))

    @classmethod
    def of_batch(cls, batch: SourceBatch, first_key: int = 0) -> SourceSentences:
        """With the threshold of a batch, and what it has for places in each sentence."""
        sentences = cls.build(batch.sources, batch.vocabulary.eos, first_key)
        least = math.log(batch.options.threshold) if batch.options.threshold else -math.inf
        limits = np.full(len(sentences.ids), least)
        for own, offset, source in zip(batch.limits, sentences.offsets[:-1].tolist(), batch.sources, strict=True):
            for position, needed in own.items():
                if not 0 <= position < len(source):
                    raise ValueError(f"a limit is for token {position} of a source of {len(source)} tokens")
                limits[offset + position] = needed
        return replace(sentences, limits=round_up(limits))

    @classmethod
    def join(cls, one: SourceSentences, other: SourceSentences) -> SourceSentences:
        offsets = np.concatenate((one.offsets, other.offsets[1:] + len(one.ids)))
        limits = None
        if one.limits is not None or other.limits is not None:
            limits = np.concatenate((one._all_limits(), other._all_limits()))
        return cls(np.concatenate((one.ids, other.ids)), offsets, np.concatenate((one.keys, other.keys)), limits)

    def __len__(self) -> int:
        return len(self.keys)

    def part(self, first: int, last: int) -> SourceSentences:
        start, end = self.offsets[first], self.offsets[last]
        limits = None if self.limits is None else self.limits[start:end]
        offsets = self.offsets[first : last + 1] - start
        return SourceSentences(self.ids[start:end], offsets, self.keys[first:last], limits)

    def _all_limits(self) -> Floats:
        return np.full(len(self.ids), -np.inf, dtype=np.float32) if self.limits is None else self.limits


@dataclass(frozen=True, slots=True)
class TargetSentences:
    """Decoded sentences in the order in which they were finished, one row for each."""

    keys: Integers
    lengths: Integers
    """Number of target tokens, without <eos>."""
    finished: npt.NDArray[np.bool_]
    ids: npt.NDArray[np.int32]
    log_probabilities: npt.NDArray[np.float32]
    origins: npt.NDArray[np.int32]
    """For each token the index of the one whose probability is its confidence; negative for a copied token."""

    def __len__(self) -> int:
        return len(self.keys)

    def decoded(self) -> Iterator[tuple[int, Decoded]]:
        """Each sentence's key and what `decode_batch` returns for it, without the calls, which are not recorded."""
        for row, (key, length, finished) in enumerate(
            zip(self.keys.tolist(), self.lengths.tolist(), self.finished.tolist(), strict=True)
        ):
            through = length + finished
            log_probabilities = self.log_probabilities[row, :through].tolist()
            confidences = [
                1.0 if origin < 0 else math.exp(log_probabilities[origin])
                for origin in self.origins[row, :through].tolist()
            ]
            yield key, Decoded(self.ids[row, :length].tolist(), log_probabilities, confidences, finished, [])


def round_up(limits: npt.NDArray[np.float64]) -> Floats:
    """The least numbers of single precision that are not below the limits: a number of single precision is below one if
    and only if it is below the other."""
    rounded = limits.astype(np.float32)
    return np.where(rounded < limits, np.nextafter(rounded, np.float32(np.inf)), rounded)
