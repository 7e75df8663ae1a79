"""Worker processes: they read text or token ids, put errors in, encode, and hand over packs through shared memory.

The data is divided into a fixed number of *partitions*; pack number n comes from partition n modulo that number. A
worker serves some of the partitions in turn, so the order of the packs does not depend on the number of workers. The
position in a partition is a few counters, which come with every pack; checkpoints store them.

Nothing here imports torch: a worker starts fast and stays small.
"""

from __future__ import annotations

import gc
import os
import shutil
import signal
import tempfile
import traceback
from bisect import bisect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, count
from multiprocessing import get_context
from multiprocessing.context import SpawnProcess
from multiprocessing.synchronize import Semaphore
from pathlib import Path
from typing import Protocol

import numpy as np

from redraft.errors import RedraftError
from redraft.lab.data.noise import Noiser
from redraft.lab.data.pair import Pair
from redraft.lab.data.shards import Shards
from redraft.lab.data.subword_dropout import SubwordDropout
from redraft.lab.data.table import ErrorTable
from redraft.lab.train.config import SourceKind
from redraft.lab.train.corpus import Lines
from redraft.lab.train.encoding import cached_encoder
from redraft.lab.train.packing import DrawnPair, Layout, Numbers, Packer, PackReport
from redraft.lab.train.rare_strings import RareStrings
from redraft.tokens.tokenizer import Tokenizer

SLOTS = 6
"""Packs that a worker may fill before they are taken."""
_TIMEOUT = 5.0
"""Seconds between two checks that the other side of a ring buffer is alive."""
_GOLDEN_RATIO = 0.6180339887498949


@dataclass(frozen=True, slots=True)
class MixSource:
    """One data source of a stage's mix: its kind, its indexed files and its share of the pairs."""

    kind: SourceKind
    files: tuple[Path, ...]
    share: float


Encode = Callable[[str], list[int]]


class LabelRule(Protocol):
    """Labels of a network that does not predict the target's tokens. The plan takes it to the workers."""

    def open(self, tokenizer: Tokenizer, changed_weight: float) -> Labeller:
        """Reads what the labels need, in a worker."""
        ...


class Labeller(Protocol):
    def label(self, pair: Pair, encode: Encode, index: int) -> DrawnPair:
        """The pair with its labels; `encode` encodes its source. The index numbers the pairs of a data source."""
        ...


@dataclass(frozen=True, slots=True)
class WorkerPlan:
    """What a worker needs to know; the same for every worker of a stage."""

    sources: tuple[MixSource, ...]
    layout: Layout
    partitions: int
    seed: int
    tokenizer: Path
    error_table: Path | None
    changed_weight: float
    subword_dropout: float = 0.0
    reversed: bool = False
    """Swap the sides of all pairs."""
    labels: LabelRule | None = None
    """None for a corrector, which predicts the tokens of the target."""

    @property
    def first_counters(self) -> tuple[int, ...]:
        """Counters of an unread partition: pairs drawn, then pairs drawn from each source."""
        return (0,) * (1 + len(self.sources))


def draw_pairs(plan: WorkerPlan, partition: int, counters: Sequence[int], reader: PairReader) -> Iterator[DrawnPair]:
    """The endless stream of pairs of one partition, starting behind `counters`. The source of a pair depends on its
    number alone."""
    drawn, *taken = counters
    bounds = list(accumulate(source.share for source in plan.sources))
    offset = partition / plan.partitions
    for number in count(drawn):
        # Multiples of the golden ratio are spread evenly, so that a short stretch has the right shares too.
        point = (number * _GOLDEN_RATIO + offset) % 1.0
        chosen = min(bisect(bounds, point * bounds[-1]), len(bounds) - 1)
        pair = reader.read(chosen, partition, taken[chosen])
        taken[chosen] += 1
        pair.counters = (number + 1, *taken)
        yield pair


class PairReader:
    """Reads pairs as token ids: from shards, or from text, into which it puts errors."""

    def __init__(self, plan: WorkerPlan) -> None:
        self._plan = plan
        self._texts: dict[int, Lines] = {}
        self._shards: dict[int, Shards] = {}
        for number, source in enumerate(plan.sources):
            if source.kind == "shards":
                self._shards[number] = Shards(*source.files)
            else:
                self._texts[number] = Lines(source.files)
        self._noiser = Noiser(ErrorTable.load(plan.error_table), plan.seed) if plan.error_table else None
        tokenizer = Tokenizer.load(plan.tokenizer)
        self._rare_strings = RareStrings(tokenizer, plan.seed)
        self._encode: Encode = cached_encoder(tokenizer)
        self._decode = tokenizer.decode
        self._dropout = SubwordDropout(tokenizer, plan.subword_dropout, plan.seed)
        self._labeller = plan.labels.open(tokenizer, plan.changed_weight) if plan.labels else None

    def read(self, source: int, partition: int, taken: int) -> DrawnPair:
        """The pair of a source and partition after `taken` others. In an epoch, the partitions together read every
        line once."""
        index = partition + taken * self._plan.partitions
        shards = self._shards.get(source)
        if shards is None:
            return self._draw(self._make_pair(source, index), index)
        packed = shards[self._shuffle(source, index, len(shards))]
        before, after = np.asarray(packed.source).tolist(), np.asarray(packed.target).tolist()
        if self._labeller is not None:
            return self._draw(Pair(self._decode(before), self._decode(after)), index)
        return DrawnPair(after, before) if self._plan.reversed else DrawnPair(before, after)

    def _draw(self, pair: Pair, index: int) -> DrawnPair:
        def encode(text: str) -> list[int]:
            return self._dropout.split(self._encode(text), index)

        if self._labeller is not None:
            return self._labeller.label(pair, encode, index)
        if self._plan.reversed:
            pair = Pair(pair.target, pair.source)
        return DrawnPair(encode(pair.source), self._encode(pair.target))

    def _make_pair(self, source: int, index: int) -> Pair:
        lines = self._texts[source]
        number = self._shuffle(source, index, len(lines))
        line = lines[number]
        kind = self._plan.sources[source].kind
        if kind == "pairs":
            before, _, rest = line.partition("\t")
            return Pair(before, rest.partition("\t")[0])  # further columns, such as the names of patterns, are not text
        if kind == "copy":
            return Pair(line, line)
        if kind == "rare":
            noisy = self._noiser.pair(line, index) if self._noiser is not None and index % 2 else Pair(line, line)
            return self._rare_strings.insert(noisy, index)
        assert self._noiser is not None  # checked when the config is read
        # One kind of error joins a sentence with the next one of the text.
        return self._noiser.pair(line, index, lines[number + 1] if number + 1 < len(lines) else "")

    def _shuffle(self, source: int, index: int, size: int) -> int:
        """The line at an index of the source's endless order, which is shuffled again in each epoch."""
        epoch, within = divmod(index, size)
        return int(_permutation(size, self._plan.seed * 1009 + epoch * 31 + source)[within])


@lru_cache(maxsize=64)  # two epochs of every source of a mix, or else each draw would shuffle anew
def _permutation(size: int, seed: int) -> Numbers:
    return np.random.default_rng(seed).permutation(size).astype(np.int32)


@dataclass(frozen=True, slots=True)
class RingBuffer:
    """Packs of one worker in a memory-mapped file, and semaphores that count its filled and free slots."""

    path: Path
    filled: Semaphore
    free: Semaphore

    def map(self, plan: WorkerPlan) -> Numbers:
        return np.memmap(self.path, dtype=np.int32, mode="r+", shape=(SLOTS, _slot_size(plan)))


@dataclass(frozen=True, slots=True)
class Pack:
    """A filled pack, valid until the next one is taken from the same pool."""

    partition: int
    numbers: Numbers
    report: PackReport


class WorkerPool:
    """Worker processes of one process of a stage. `take` returns their packs in order."""

    def __init__(
        self,
        plan: WorkerPlan,
        counters: Mapping[int, Sequence[int]],
        workers: int,
        first: int = 0,
        stride: int = 1,
        rank: int = 0,
    ) -> None:
        """`counters` are those of partitions that were read before; `first` is the number of packs taken before."""
        self.plan = plan
        self._partitions = [number for number in range(plan.partitions) if number % stride == rank]
        self._next = first
        self._stride, self._rank = stride, rank
        self._count = max(1, min(workers, len(self._partitions)))
        size = _slot_size(plan) * 4 * SLOTS * self._count
        self._folder = Path(tempfile.mkdtemp(prefix="redraft-packs-", dir=_choose_folder(size)))
        context = get_context("spawn")
        self._rings = [self._make_ring(index) for index in range(self._count)]
        self._slots = [ring.map(plan) for ring in self._rings]
        self._taken = [0] * self._count
        self._in_use: Semaphore | None = None
        self._processes: list[SpawnProcess] = []
        for index, ring in enumerate(self._rings):
            own = self._partitions_of(index)
            work = (plan, ring, own, [tuple(counters.get(each, plan.first_counters)) for each in own], os.getpid())
            process = context.Process(target=_work, args=work, daemon=True, name=f"redraft-worker-{index}")
            process.start()
            self._processes.append(process)

    def take(self) -> Pack:
        """The next pack. Waits for the worker whose turn it is, and fails if that worker has died."""
        if self._in_use is not None:
            self._in_use.release()
            self._in_use = None
        partition = (self._next * self._stride + self._rank) % self.plan.partitions
        worker = self._partitions.index(partition) % self._count
        ring = self._rings[worker]
        while not ring.filled.acquire(timeout=_TIMEOUT):
            if not self._processes[worker].is_alive():
                code = self._processes[worker].exitcode
                raise RedraftError(f"data worker {worker} ended with exit code {code}; see its error above")
        slot = self._slots[worker][self._taken[worker] % SLOTS]
        self._taken[worker] += 1
        self._next += 1
        self._in_use = ring.free
        size = self.plan.layout.size
        pairs, tokens, skipped, *counters = (int(number) for number in slot[size:].view(np.int64))
        return Pack(partition, slot[:size], PackReport(pairs, tokens, skipped, tuple(counters)))

    def close(self) -> None:
        for process in self._processes:
            process.terminate()
        for process in self._processes:
            process.join(timeout=_TIMEOUT)
        self._slots.clear()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _partitions_of(self, worker: int) -> list[int]:
        """The worker's partitions, in the order in which their packs will be taken from now on."""
        start = self._next % len(self._partitions)
        order = [*range(start, len(self._partitions)), *range(start)]
        return [self._partitions[index] for index in order if index % self._count == worker]

    def _make_ring(self, index: int) -> RingBuffer:
        path = self._folder / f"ring-{index}"
        with path.open("wb") as file:
            file.truncate(SLOTS * _slot_size(self.plan) * 4)
        context = get_context("spawn")
        return RingBuffer(path, context.Semaphore(0), context.Semaphore(SLOTS))


def _slot_size(plan: WorkerPlan) -> int:
    """Size of a pack and its report, in 32-bit numbers."""
    return plan.layout.size + 2 * (3 + len(plan.first_counters))


def _choose_folder(size: int) -> str | None:
    """Shared memory if it has enough space, else None, for the default temporary folder, which is slower."""
    memory = Path("/dev/shm")
    if memory.is_dir() and os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > 2 * size:
        return str(memory)
    return None


def _work(
    plan: WorkerPlan, ring: RingBuffer, partitions: Sequence[int], counters: Sequence[Sequence[int]], parent: int
) -> None:
    # Ctrl-C reaches all processes of the terminal; the parent decides when its workers stop.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    try:
        reader = PairReader(plan)
        packers = [
            Packer(plan.layout, draw_pairs(plan, partition, position, reader), plan.changed_weight)
            for partition, position in zip(partitions, counters, strict=True)
        ]
        slots = ring.map(plan)
        gc.freeze()  # the tables of the noise are large and stay: the collector need not look through them
        for turn in count():
            while not ring.free.acquire(timeout=_TIMEOUT):
                if os.getppid() != parent:
                    return
            slot = slots[turn % SLOTS]
            report = packers[turn % len(packers)].fill(slot[: plan.layout.size])
            slot[plan.layout.size :].view(np.int64)[:] = (report.pairs, report.tokens, report.skipped, *report.counters)
            ring.filled.release()
    except Exception:
        traceback.print_exc()
        raise SystemExit(1) from None
