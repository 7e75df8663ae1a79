"""A model on a GPU and sentences for it, and the timing of work on them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from redraft.lab.bench.machine import resident_megabytes
from redraft.model.folder import ModelFolder
from redraft.tokens.tokenizer import Tokenizer

if TYPE_CHECKING:
    import torch

    from redraft.check.corrector import Corrector
    from redraft.engines.cuda.bulk.decoder import BulkDecoder
    from redraft.model.transformer import Transformer

LAUNCHES = 10
_Item = TypeVar("_Item")


@dataclass(frozen=True)
class Setting:
    folder: ModelFolder
    tokenizer: Tokenizer
    model: Transformer
    texts: Sequence[str]
    sources: Sequence[Sequence[int]]
    """The sentences of the file once, as text and as ids; for timing they are repeated."""
    sentences: int
    """Number of sentences to time bulk decoding on."""
    slow_sentences: int
    """Number of sentences to time the other methods on."""
    threshold: float
    sizes: Sequence[tuple[int, int, int]]
    batch_tokens: int
    """Tokens in a batch from which on texts are decoded in bulk."""

    @property
    def device(self) -> torch.device:
        return self.model.embedding.weight.device

    @property
    def dtype(self) -> torch.dtype:
        return self.model.embedding.weight.dtype

    def repeat(self, count: int) -> list[Sequence[int]]:
        return _repeat(self.sources, count)

    def repeat_texts(self, count: int) -> list[str]:
        return _repeat(self.texts, count)

    def open_bulk(
        self, sizes: tuple[int, int, int], model: Transformer | None = None, sampling: bool = False
    ) -> BulkDecoder:
        from redraft.engines.cuda.bulk.decoder import BulkDecoder, BulkOptions
        from redraft.engines.cuda.bulk.sampling import Sampling

        options = BulkOptions(self.threshold, *sizes, Sampling() if sampling else None)
        return BulkDecoder.open(model or self.model, self.tokenizer, options)

    def open_corrector(self) -> Corrector:
        """The model as `redraft.load` opens it on the engine cuda, without a cache."""
        from redraft.check.corrector import Corrector
        from redraft.check.solver import SentenceSolver, SolverOptions
        from redraft.engines.cuda.bulk.decoder import BulkOptions
        from redraft.engines.cuda.engine import CudaEngine

        engine = CudaEngine(self.model, self.tokenizer.eos, bulk=BulkOptions(0.0, *self.sizes[0]))
        options = SolverOptions(batch_tokens=self.batch_tokens, cached_sentences=0)
        words = self.folder.known_words
        solver = SentenceSolver(engine, self.tokenizer, self.folder.info, options, known_words=words)
        return Corrector(solver, threshold=self.threshold)


def _repeat(items: Sequence[_Item], count: int) -> list[_Item]:
    times = -(-count // len(items))
    return [item for _ in range(times) for item in items][:count]


def synchronize(setting: Setting) -> None:
    import torch

    if setting.device.type == "cuda":
        torch.cuda.synchronize()


def forget_memory(setting: Setting) -> None:
    import gc

    import torch

    gc.collect()
    if setting.device.type == "cuda":
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()


def peak_megabytes(setting: Setting) -> float:
    """Peak memory on the device since `forget_memory`, weights included; without a GPU, that of the process."""
    import torch

    if setting.device.type == "cuda":
        return round(torch.cuda.max_memory_reserved() / 2**20, 1)
    return resident_megabytes()


def describe_speed(setting: Setting, sources: Sequence[Sequence[int]], seconds: float) -> dict[str, float]:
    return {
        "sentences": len(sources),
        "sentences_per_second": round(len(sources) / seconds, 1),
        "source_tokens_per_second": round(sum(map(len, sources)) / seconds, 1),
        "megabytes": peak_megabytes(setting),
    }


def time_best(setting: Setting, work: Callable[[], object], rounds: int = 2) -> float:
    best = float("inf")
    for _ in range(rounds):
        synchronize(setting)
        before = time.perf_counter()
        work()
        synchronize(setting)
        best = min(best, time.perf_counter() - before)
    return best


def time_launch(setting: Setting, launch: Callable[[], None]) -> float:
    """Seconds of one launch among many, so that the time of the host is hidden."""

    def repeat() -> None:
        for _ in range(LAUNCHES):
            launch()

    return time_best(setting, repeat) / LAUNCHES
