"""Throughput on a long text, in sentences a second, by the number of tokens in a batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

from redraft.lab.bench.machine import count_threads, resident_megabytes
from redraft.lab.bench.uncached import load_uncached, without_cache

SENTENCES = 256
BATCH_TOKENS = (1, 128, 256, 512, 1024, 2048, 4096)
"""With 1, every sentence is decoded alone."""
ROUNDS = 2


def run(
    model: str,
    sentences: Sequence[str],
    threads: int = 0,
    precision: str | None = None,
    batch_tokens: Sequence[int] = BATCH_TOKENS,
    advance: Callable[[], None] = lambda: None,
) -> dict[str, Any]:
    """Times each batch size in every round; the fastest round of each counts. `advance` is called after each."""
    threads = count_threads(threads)
    opened = load_uncached(model=model, threads=threads, precision=precision)
    tokens = sum(map(len, opened.tokenizer.encode_batch(list(sentences))))
    seconds: dict[int, list[float]] = {size: [] for size in batch_tokens}
    outputs: set[tuple[str, ...]] = set()
    for _ in range(ROUNDS):
        for size in batch_tokens:
            corrector = without_cache(opened, batch_tokens=size)
            start = perf_counter()
            outputs.add(tuple(result.text for result in corrector.pipe(sentences)))
            seconds[size].append(perf_counter() - start)
            advance()
    return {
        "sentences": len(sentences),
        "tokens": tokens,
        "precision": precision,
        "default": opened.solver.options.batch_tokens,
        "same_output": len(outputs) == 1,
        "megabytes": resident_megabytes(),
        "sizes": {
            str(size): {
                "sentences_per_second": round(len(sentences) / min(found), 2),
                "tokens_per_second": round(tokens / min(found), 1),
            }
            for size, found in seconds.items()
        },
    }
