"""A teacher on a GPU that labels in bulk: the device decodes while other processes prepare and write text."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from redraft.decode.loop import DecodeOptions
from redraft.engines.cuda.bulk.decoder import BulkDecoder, BulkOptions
from redraft.engines.cuda.bulk.sampling import Sampling
from redraft.engines.cuda.bulk.sentences import SourceSentences, TargetSentences
from redraft.lab.data.synthesis import Batch, Recipe
from redraft.lab.train import labelling
from redraft.lab.train.labelling import LabelledBatch, Outputs, PreparedBatch
from redraft.model.folder import ModelFolder
from redraft.model.transformer import Transformer
from redraft.process_pool import open_pool
from redraft.tokens.tokenizer import Tokenizer

_MOST_WORKERS = 12
_TOKENS_OF_A_ROW = 8
_AHEAD = 3
"""Batches that are prepared ahead for each worker."""


def count_workers() -> int:
    """One for each core but two, which the loop and the driver of the GPU use."""
    return max(1, min(_MOST_WORKERS, (os.cpu_count() or 1) - 2))


@dataclass(frozen=True)
class BulkTeacher:
    """A model that labels with `BulkDecoder`."""

    decoder: BulkDecoder
    tokenizer: Path
    workers: int = field(default_factory=lambda: count_workers())
    """Processes for the text; 0 for a thread of this process."""

    @classmethod
    def open(
        cls,
        folder: ModelFolder,
        model: Transformer,
        decode: DecodeOptions,
        *,
        batch: int | None = None,
        sampling: Sampling | None = None,
    ) -> BulkTeacher:
        """`batch` is the number of sentences that are decoded at a time; None for the default."""
        rows = batch or BulkOptions().rows
        encoder_tokens = max(_TOKENS_OF_A_ROW * rows, folder.config.max_tokens + 1)
        options = BulkOptions(decode.threshold, rows, _TOKENS_OF_A_ROW * rows, encoder_tokens, sampling)
        decoder = BulkDecoder.open(model, Tokenizer.load(folder.tokenizer), options)
        return cls(decoder, folder.tokenizer)

    @property
    def facts(self) -> list[object]:
        """What the output depends on, besides the model."""
        sampling = self.decoder.options.sampling
        drawn = [sampling.temperature, sampling.seed] if sampling else []
        return [1, self.decoder.options.threshold, *drawn]

    def label_batches(
        self, batches: Iterator[Batch], noise: Recipe | None = None, advance: Callable[[], None] = lambda: None
    ) -> Iterator[LabelledBatch]:
        """Labels batches and yields them in their order."""
        with self._open_text_workers(noise) as pool:
            run = _Run(pool, batches, _AHEAD * max(1, self.workers))
            for batch in self._label(run):
                for _ in range(batch.read):
                    advance()
                yield batch

    def _label(self, run: _Run) -> Iterator[LabelledBatch]:
        for targets in self.decoder.stream(run.sources()):
            run.add(targets)
            yield from run.labelled()
        yield from run.labelled(wait=True)

    @contextmanager
    def _open_text_workers(self, noise: Recipe | None) -> Iterator[Executor]:
        arguments = self.tokenizer, self.decoder.max_tokens, noise
        pool: Executor = (
            open_pool(self.workers, labelling.start_worker, *arguments)
            if self.workers
            else ThreadPoolExecutor(1, initializer=labelling.start_worker, initargs=arguments)
        )
        try:
            yield pool
        finally:
            pool.shutdown(cancel_futures=True)


@dataclass(slots=True)
class _OpenBatch:
    """A batch some of whose sentences are being decoded."""

    prepared: PreparedBatch
    missing: int
    """Sentences that are not decoded yet."""
    outputs: list[Outputs] = field(default_factory=list)
    labelled: Future[LabelledBatch] | None = None


class _Run:
    """Batches on their way: prepared, decoded, labelled."""

    def __init__(self, pool: Executor, batches: Iterator[Batch], ahead: int) -> None:
        self._pool, self._batches, self._ahead = pool, batches, ahead
        self._prepared: deque[Future[PreparedBatch]] = deque()
        self._open: deque[_OpenBatch] = deque()

    def sources(self) -> Iterator[SourceSentences]:
        """The prepared sentences in order, as the decoder takes them."""
        while self._prepare_ahead():
            batch = self._prepared.popleft().result()
            opened = _OpenBatch(batch, len(batch.encoded))
            self._open.append(opened)
            self._finish_if_complete(opened)
            yield batch.encoded

    def add(self, targets: TargetSentences) -> None:
        """Decoded sentences, of any batches."""
        left = len(targets)
        for opened in self._open:
            if not left:
                break
            first = opened.prepared.first
            chosen = (targets.keys >= first) & (targets.keys < first + len(opened.prepared.sources))
            count = int(np.count_nonzero(chosen))
            if count:
                opened.outputs.append(Outputs.build(targets, chosen))
                opened.missing -= count
                left -= count
                self._finish_if_complete(opened)

    def labelled(self, wait: bool = False) -> Iterator[LabelledBatch]:
        """The labelled batches, as far as they are complete in order; with `wait`, all of them."""
        while self._open and (future := self._open[0].labelled) is not None and (wait or future.done()):
            self._open.popleft()
            yield future.result()

    def _prepare_ahead(self) -> bool:
        while len(self._prepared) < self._ahead and (batch := next(self._batches, None)) is not None:
            self._prepared.append(self._pool.submit(labelling.prepare, batch))
        return bool(self._prepared)

    def _finish_if_complete(self, opened: _OpenBatch) -> None:
        if not opened.missing:
            opened.labelled = self._pool.submit(labelling.finish, opened.prepared, opened.outputs)
