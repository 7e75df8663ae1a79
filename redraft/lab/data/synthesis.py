"""Makes synthetic pairs from files of clean text: the same output from one process, several, or a Ray cluster."""

from __future__ import annotations

import gc
import logging
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from redraft.chunks import chunks
from redraft.errors import ConfigError, InputError
from redraft.lab.data.noise import Noiser
from redraft.lab.data.noise_rates import NoiseRates
from redraft.lab.data.pair import Pair
from redraft.lab.data.readers import Faults, read_sentences
from redraft.lab.data.table import ErrorTable
from redraft.lab.data.text_output import open_output
from redraft.process_pool import open_pool

BATCH = 2_000
"""Sentences per batch. The last of a batch is never joined to the next one: the output depends on this."""
IN_FLIGHT = 4
"""Most batches waiting for each worker, so that input does not fill the memory."""
RAY_ROUND = 1_000
"""Batches given to Ray at a time."""


class Engine(StrEnum):
    PROCESSES = "processes"
    RAY = "ray"


@dataclass(frozen=True)
class Recipe:
    """Everything that the output depends on, besides the text."""

    table: Path
    seed: int = 0
    rates: NoiseRates | None = None
    """Those of the table if None."""


@dataclass(frozen=True, slots=True)
class Batch:
    first: int
    sentences: tuple[str, ...]


class Maker:
    """Makes the pairs of a batch; each worker has one."""

    def __init__(self, recipe: Recipe) -> None:
        self._noiser = Noiser(ErrorTable.load(recipe.table), recipe.seed, recipe.rates)
        # The table stays until the worker ends: the garbage collector need not traverse it.
        gc.freeze()

    def make(self, batch: Batch) -> list[Pair]:
        following = (*batch.sentences[1:], "")
        return [
            self._noiser.pair(sentence, batch.first + place, after)
            for place, (sentence, after) in enumerate(zip(batch.sentences, following, strict=True))
        ]


def synthesize(
    inputs: Sequence[Path],
    output: Path,
    recipe: Recipe,
    faults: Faults,
    workers: int = 1,
    engine: Engine = Engine.PROCESSES,
    excluded: frozenset[str] = frozenset(),
    advance: Callable[[], None] = lambda: None,
) -> int:
    """Write source, tab, target for each sentence of the inputs that is not excluded; returns their number.

    The output is written in one step. `advance` is called after each input.
    """
    if workers < 1:
        raise ConfigError(f"workers must be 1 or more, got {workers}")
    if not inputs:
        raise InputError("no input: name one or more files of clean text, one sentence per line")
    batches = cut_into_batches(_read(inputs, faults, excluded, advance))
    if engine is Engine.RAY:
        made = _run_on_ray(batches, recipe, workers)
    elif workers == 1:
        made = map(Maker(recipe).make, batches)
    else:
        made = _run_in_processes(batches, recipe, workers)
    total = 0
    with open_output(output) as file:
        for pairs in made:
            file.writelines(f"{_flatten(pair.source)}\t{_flatten(pair.target)}\n" for pair in pairs)
            total += len(pairs)
    return total


def _read(
    inputs: Sequence[Path], faults: Faults, excluded: frozenset[str], advance: Callable[[], None]
) -> Iterator[str]:
    for path in inputs:
        yield from (sentence for sentence in read_sentences(path, faults) if sentence not in excluded)
        advance()


def cut_into_batches(sentences: Iterable[str], first: int = 0) -> Iterator[Batch]:
    """Batches of sentences, of which the first has the number `first`."""
    for batch in chunks(sentences, BATCH):
        yield Batch(first, batch)
        first += len(batch)


def _flatten(text: str) -> str:
    return text.replace("\t", " ")


_maker: Maker | None = None


def _start_worker(recipe: Recipe) -> None:
    global _maker  # noqa: PLW0603 - a pool has no other place for state of its workers
    _maker = Maker(recipe)


def _work(batch: Batch) -> list[Pair]:
    assert _maker is not None
    return _maker.make(batch)


def _run_in_processes(batches: Iterable[Batch], recipe: Recipe, workers: int) -> Iterator[list[Pair]]:
    # Loaded here too, so that a bad table is an error message and not a worker that crashes.
    ErrorTable.load(recipe.table)
    waiting: deque[Future[list[Pair]]] = deque()
    with open_pool(workers, _start_worker, recipe) as pool:
        try:
            for batch in batches:
                waiting.append(pool.submit(_work, batch))
                if len(waiting) >= workers * IN_FLIGHT:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        except BrokenProcessPool:
            raise InputError("a worker process died, most likely because memory ran out; use fewer workers") from None


class _RayMaker:
    """A Maker as Ray Data needs it: from a row with a batch of sentences to a row with the pairs."""

    def __init__(self, recipe: Recipe) -> None:
        self._maker = Maker(recipe)

    def __call__(self, row: dict[str, Any]) -> dict[str, Any]:
        pairs = self._maker.make(Batch(int(row["first"]), tuple(row["sentences"])))
        return {"sources": [pair.source for pair in pairs], "targets": [pair.target for pair in pairs]}


def _run_on_ray(batches: Iterator[Batch], recipe: Recipe, workers: int) -> Iterator[list[Pair]]:
    try:
        import ray
        import ray.data
    except ImportError:
        raise ConfigError("engine ray needs the ray package; install the extra 'ray' of redraft") from None
    started = not ray.is_initialized()
    if started:
        ray.init(log_to_driver=False, include_dashboard=False, logging_level=logging.ERROR)
    try:
        context = ray.data.DataContext.get_current()
        context.execution_options.preserve_order = True
        context.enable_progress_bars = False
        for chunk in chunks(batches, RAY_ROUND):
            rows = [{"first": batch.first, "sentences": list(batch.sentences)} for batch in chunk]
            dataset = ray.data.from_items(rows, override_num_blocks=len(rows)).map(
                _RayMaker, fn_constructor_args=(recipe,), compute=ray.data.ActorPoolStrategy(size=workers)
            )
            for row in dataset.iter_rows():
                yield [
                    Pair(str(source), str(target))
                    for source, target in zip(row["sources"], row["targets"], strict=True)
                ]
    finally:
        if started:
            ray.shutdown()
