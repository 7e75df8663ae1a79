"""The text side of labelling: what worker processes do before and after a model decodes. Imports no torch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from redraft.engines.cuda.bulk.sentences import Integers, SourceSentences, TargetSentences
from redraft.lab.data.synthesis import Batch, Maker, Recipe
from redraft.tokens.tokenizer import Tokenizer

REPLACEMENT = "\ufffd"
"""Character that replaces bytes which are not valid UTF-8."""


@dataclass(frozen=True, slots=True)
class LabelledBatch:
    """Lines of source, tab and correction for the sentences of a batch that have a usable one."""

    read: int
    """Sentences in the batch."""
    lines: bytes

    @classmethod
    def build(cls, sources: Sequence[str], labels: Sequence[str | None]) -> LabelledBatch:
        pairs = zip(sources, labels, strict=True)
        lines = "".join(f"{source}\t{label}\n" for source, label in pairs if label)
        return cls(len(sources), lines.encode())


@dataclass(frozen=True, slots=True)
class PreparedBatch:
    """Sentences to label, and the ids of those that fit. Sentence i of the batch has the key `first` + i."""

    first: int
    sources: list[str]
    encoded: SourceSentences


@dataclass(frozen=True, slots=True)
class Outputs:
    """Finished targets, one behind the other: their keys, lengths and ids. Those without an end are left out."""

    keys: Integers
    lengths: Integers
    ids: npt.NDArray[np.int32]

    @classmethod
    def build(cls, targets: TargetSentences, chosen: npt.NDArray[np.bool_]) -> Outputs:
        """Of the chosen rows."""
        rows = np.flatnonzero(chosen & targets.finished)
        lengths = targets.lengths[rows]
        ids = targets.ids[rows]
        return cls(targets.keys[rows], lengths, ids[np.arange(ids.shape[1]) < lengths[:, None]])


class TextWorker:
    """Puts errors into text, tokenizes it, and turns target ids into lines."""

    def __init__(self, tokenizer: Path, max_tokens: int, noise: Recipe | None) -> None:
        self._tokenizer = Tokenizer.load(tokenizer)
        self._max_tokens = max_tokens
        self._maker = Maker(noise) if noise else None

    def prepare(self, batch: Batch) -> PreparedBatch:
        sources = make_sources(batch, self._maker)
        encoded = self._tokenizer.encode_batch(sources)
        fitting = [index for index, ids in enumerate(encoded) if 0 < len(ids) < self._max_tokens]
        packed = SourceSentences.build([encoded[index] for index in fitting], self._tokenizer.eos)
        keys = np.array(fitting, dtype=np.int64) + batch.first
        return PreparedBatch(batch.first, sources, replace(packed, keys=keys))

    def finish(self, batch: PreparedBatch, outputs: Sequence[Outputs]) -> LabelledBatch:
        labels: list[str | None] = [None] * len(batch.sources)
        for found in outputs:
            ends = np.cumsum(found.lengths)
            targets = np.split(found.ids, ends[:-1]) if len(ends) else []
            for key, ids in zip(found.keys.tolist(), targets, strict=True):
                index = key - batch.first
                labels[index] = accept(self._tokenizer.decode(ids.tolist()), batch.sources[index])
        return LabelledBatch.build(batch.sources, labels)


class _Process:
    """The worker of this process, which is made when it is first needed: its faults are those of a task then."""

    arguments: tuple[Path, int, Recipe | None]
    worker: TextWorker | None = None

    @classmethod
    def get(cls) -> TextWorker:
        if cls.worker is None:
            cls.worker = TextWorker(*cls.arguments)
        return cls.worker


def start_worker(tokenizer: Path, max_tokens: int, noise: Recipe | None) -> None:
    _Process.arguments, _Process.worker = (tokenizer, max_tokens, noise), None


def prepare(batch: Batch) -> PreparedBatch:
    return _Process.get().prepare(batch)


def finish(batch: PreparedBatch, outputs: Sequence[Outputs]) -> LabelledBatch:
    return _Process.get().finish(batch, outputs)


def make_sources(batch: Batch, maker: Maker | None) -> list[str]:
    """The sentences of a batch, with errors if there is a maker of them."""
    noisy = [pair.source for pair in maker.make(batch)] if maker else batch.sentences
    return [fold(source) for source in noisy]


def accept(text: str, source: str) -> str | None:
    """The text of a correction, or None if it is empty or has bytes that are not valid UTF-8."""
    folded = fold(text)
    return folded if folded and folded.count(REPLACEMENT) <= source.count(REPLACEMENT) else None


def fold(text: str) -> str:
    """The text with single spaces and without tabs, as the model gets it when it corrects."""
    return " ".join(text.split())
