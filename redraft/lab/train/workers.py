"""Processes that read text or packed ids, make errors, encode, and hand packed units over through shared memory.

The data is dealt out to a fixed number of *lanes*; unit number g comes from lane g modulo that number. A worker serves
some of the lanes, in turn, so that the order of units is the same whatever the number of workers. All that a lane needs
to go on is a few counters, which travel with every unit: they are the data position that a checkpoint stores.

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

import numpy as np

from redraft.errors import RedraftError
from redraft.lab.data.noise import Noiser
from redraft.lab.data.pair import Pair
from redraft.lab.data.shards import Shards
from redraft.lab.data.table import ErrorTable
from redraft.lab.train.batches import Encoded, Layout, Numbers, Packer, UnitReport
from redraft.lab.train.config import SourceKind
from redraft.lab.train.corpus import Lines
from redraft.lab.train.encoding import cached_encoder
from redraft.lab.train.rare import RareStrings
from redraft.tokens.tokenizer import Tokenizer

SLOTS = 6
"""Units a worker may be ahead of the training."""
_PATIENCE = 5.0
_GOLDEN = 0.6180339887498949


@dataclass(frozen=True, slots=True)
class Stream:
    """One data source of a mix: gathered files, how they are read, and their share."""

    kind: SourceKind
    files: tuple[Path, ...]
    share: float


@dataclass(frozen=True, slots=True)
class FeedPlan:
    """All that a worker must know; the same for every worker of a stage."""

    streams: tuple[Stream, ...]
    layout: Layout
    lanes: int
    seed: int
    tokenizer: Path
    errors: Path | None
    changed_weight: float

    @property
    def fresh_state(self) -> tuple[int, ...]:
        """Pairs drawn so far, and lines drawn so far from each stream."""
        return (0,) * (1 + len(self.streams))


def read_pairs(plan: FeedPlan, lane: int, state: Sequence[int], tools: Tools) -> Iterator[Encoded]:
    """The endless stream of one lane, from a state on. Which stream comes next is a function of the count alone."""
    drawn, *taken = state
    bounds = list(accumulate(stream.share for stream in plan.streams))
    offset = lane / plan.lanes
    for number in count(drawn):
        # The golden ratio spreads the draws evenly, so that even a short stretch has the shares asked for.
        point = (number * _GOLDEN + offset) % 1.0
        chosen = min(bisect(bounds, point * bounds[-1]), len(bounds) - 1)
        pair = tools.draw(chosen, lane, taken[chosen])
        taken[chosen] += 1
        yield Encoded(pair.source, pair.target, (number + 1, *taken))


@dataclass(frozen=True, slots=True)
class Drawn:
    """Token ids of one pair, without <bos> and <eos>."""

    source: list[int]
    target: list[int]


class Tools:
    """What a worker holds: open texts and shards, the noise, the encoder."""

    def __init__(self, plan: FeedPlan) -> None:
        self._plan = plan
        self._texts: dict[int, Lines] = {}
        self._shards: dict[int, Shards] = {}
        for number, stream in enumerate(plan.streams):
            if stream.kind == "shards":
                self._shards[number] = Shards(*stream.files)
            else:
                self._texts[number] = Lines(stream.files)
        self._noiser = Noiser(ErrorTable.load(plan.errors), plan.seed) if plan.errors else None
        tokenizer = Tokenizer.load(plan.tokenizer)
        self._rare = RareStrings(tokenizer, plan.seed)
        self._encode: Callable[[str], list[int]] = cached_encoder(tokenizer)

    def draw(self, stream: int, lane: int, taken: int) -> Drawn:
        """The pair of one lane and stream after so many others. All lanes together see every line once an epoch."""
        place = lane + taken * self._plan.lanes
        shards = self._shards.get(stream)
        if shards is None:
            pair = self._make_pair(stream, place)
            return Drawn(self._encode(pair.source), self._encode(pair.target))
        packed = shards[self._shuffle(stream, place, len(shards))]
        return Drawn(np.asarray(packed.source).tolist(), np.asarray(packed.target).tolist())

    def _make_pair(self, stream: int, place: int) -> Pair:
        lines = self._texts[stream]
        number = self._shuffle(stream, place, len(lines))
        line = lines[number]
        kind = self._plan.streams[stream].kind
        if kind == "pairs":
            source, _, target = line.partition("\t")
            return Pair(source, target)
        if kind == "copy":
            return Pair(line, line)
        if kind == "rare":
            spoiled = self._noiser.pair(line, place) if self._noiser is not None and place % 2 else Pair(line, line)
            return self._rare.insert(spoiled, place)
        assert self._noiser is not None  # the config is checked for this
        # Now and then the noise joins a sentence with the one that follows it in the text.
        return self._noiser.pair(line, place, lines[number + 1] if number + 1 < len(lines) else "")

    def _shuffle(self, stream: int, place: int, size: int) -> int:
        """Which of the stream's lines comes at that place of its endless order, shuffled anew each epoch."""
        epoch, within = divmod(place, size)
        return int(_shuffled(size, self._plan.seed * 1009 + epoch * 31 + stream)[within])


@lru_cache(maxsize=8)
def _shuffled(size: int, seed: int) -> Numbers:
    return np.random.default_rng(seed).permutation(size).astype(np.int32)


@dataclass(frozen=True, slots=True)
class _Seat:
    """A worker's ring of units: the file they lie in, and the counts of filled and free places."""

    path: Path
    filled: Semaphore
    free: Semaphore

    def open(self, plan: FeedPlan) -> Numbers:
        return np.memmap(self.path, dtype=np.int32, mode="r+", shape=(SLOTS, _row_size(plan)))


@dataclass(frozen=True, slots=True)
class Unit:
    """A packed unit, valid until the next one is taken from the same feed."""

    lane: int
    numbers: Numbers
    report: UnitReport


class Feed:
    """Hands out units in order, made by processes of its own. One feed serves one rank of a stage."""

    def __init__(
        self,
        plan: FeedPlan,
        states: Mapping[int, Sequence[int]],
        workers: int,
        first: int = 0,
        stride: int = 1,
        rank: int = 0,
    ) -> None:
        self.plan = plan
        self._lanes = [lane for lane in range(plan.lanes) if lane % stride == rank]
        self._next = first
        self._stride, self._rank = stride, rank
        self._count = max(1, min(workers, len(self._lanes)))
        self._folder = Path(
            tempfile.mkdtemp(prefix="redraft-feed-", dir=_roomy_folder(_row_size(plan) * 4 * SLOTS * self._count))
        )
        context = get_context("spawn")
        self._seats = [self._make_seat(index) for index in range(self._count)]
        self._rings = [seat.open(plan) for seat in self._seats]
        self._taken = [0] * self._count
        self._held: Semaphore | None = None
        self._processes: list[SpawnProcess] = []
        for index, seat in enumerate(self._seats):
            lanes = self._lanes_of(index)
            work = (plan, seat, lanes, [tuple(states.get(lane, plan.fresh_state)) for lane in lanes], os.getpid())
            process = context.Process(target=_work, args=work, daemon=True, name=f"redraft-worker-{index}")
            process.start()
            self._processes.append(process)

    def take(self) -> Unit:
        """The next unit. Waits for the worker whose turn it is, and fails when that worker has died."""
        if self._held is not None:
            self._held.release()
            self._held = None
        lane = (self._next * self._stride + self._rank) % self.plan.lanes
        worker = self._lanes.index(lane) % self._count
        seat = self._seats[worker]
        while not seat.filled.acquire(timeout=_PATIENCE):
            if not self._processes[worker].is_alive():
                raise RedraftError(
                    f"data worker {worker} ended with exit code {self._processes[worker].exitcode}; its error is above"
                )
        row = self._rings[worker][self._taken[worker] % SLOTS]
        self._taken[worker] += 1
        self._next += 1
        self._held = seat.free
        size = self.plan.layout.size
        pairs, tokens, skipped, *state = (int(number) for number in row[size:].view(np.int64))
        return Unit(lane, row[:size], UnitReport(pairs, tokens, skipped, tuple(state)))

    def close(self) -> None:
        for process in self._processes:
            process.terminate()
        for process in self._processes:
            process.join(timeout=_PATIENCE)
        self._rings.clear()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _lanes_of(self, worker: int) -> list[int]:
        """The worker's lanes in the order in which their units will be taken, from the next unit on."""
        start = self._next % len(self._lanes)
        order = [*range(start, len(self._lanes)), *range(start)]
        return [self._lanes[place] for place in order if place % self._count == worker]

    def _make_seat(self, index: int) -> _Seat:
        path = self._folder / f"ring-{index}"
        with path.open("wb") as file:
            file.truncate(SLOTS * _row_size(self.plan) * 4)
        context = get_context("spawn")
        return _Seat(path, context.Semaphore(0), context.Semaphore(SLOTS))


def _row_size(plan: FeedPlan) -> int:
    """A unit and its report, in 32-bit numbers."""
    return plan.layout.size + 2 * (3 + len(plan.fresh_state))


def _roomy_folder(size: int) -> str | None:
    """Shared memory when it has room; any temporary folder is mapped just as well, only written to disk besides."""
    memory = Path("/dev/shm")
    if memory.is_dir() and os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > 2 * size:
        return str(memory)
    return None


def _work(plan: FeedPlan, seat: _Seat, lanes: Sequence[int], states: Sequence[Sequence[int]], parent: int) -> None:
    # The parent decides when to stop; an interrupt typed at the terminal reaches the whole group.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    try:
        tools = Tools(plan)
        packers = [
            Packer(plan.layout, read_pairs(plan, lane, state, tools), plan.changed_weight)
            for lane, state in zip(lanes, states, strict=True)
        ]
        ring = seat.open(plan)
        gc.freeze()  # the noise's tables are large and stay: no need to look through them again and again
        for turn in count():
            while not seat.free.acquire(timeout=_PATIENCE):
                if os.getppid() != parent:
                    return
            row = ring[turn % SLOTS]
            report = packers[turn % len(packers)].fill(row[: plan.layout.size])
            row[plan.layout.size :].view(np.int64)[:] = (report.pairs, report.tokens, report.skipped, *report.state)
            seat.filled.release()
    except Exception:
        traceback.print_exc()
        raise SystemExit(1) from None
