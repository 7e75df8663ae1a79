"""How many sentences a second a long text is corrected at, by the number of tokens decoded side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any

from redraft.check.corrector import Corrector
from redraft.lab.bench.latency import load_forgetful
from redraft.lab.bench.machine import count_threads, resident_megabytes

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
    """All sizes in turns, a few rounds; the quickest round of each counts. `advance` is called after each."""
    threads = count_threads(threads)
    opened = load_forgetful(model=model, threads=threads, precision=precision)
    tokens = sum(map(len, opened.tokenizer.encode_batch(list(sentences))))
    seconds: dict[int, list[float]] = {size: [] for size in batch_tokens}
    outputs: set[tuple[str, ...]] = set()
    for _ in range(ROUNDS):
        for size in batch_tokens:
            options = replace(opened.options, batch_tokens=size)
            corrector = Corrector(opened.engine, opened.tokenizer, opened.info, options)
            start = perf_counter()
            outputs.add(tuple(result.text for result in corrector.pipe(sentences)))
            seconds[size].append(perf_counter() - start)
            advance()
    return {
        "sentences": len(sentences),
        "tokens": tokens,
        "precision": precision,
        "default": opened.options.batch_tokens,
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
