"""Copies batches to the device before they are needed."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from redraft.lab.train.packing import Layout
from redraft.lab.train.workers import WorkerPool
from redraft.model.windows import Packed

AHEAD = 3
"""Batches that are copied to the device before they are used."""


@dataclass(frozen=True, slots=True)
class Batch:
    source: Packed
    target: Packed
    labels: Tensor  # (P,)
    weights: Tensor  # (P,)
    packs: int
    pairs: int
    tokens: int
    skipped: int
    counters: dict[int, tuple[int, ...]]
    """Counters, after this batch, of each partition that has a pack in it."""


def unpack(numbers: Tensor, layout: Layout) -> tuple[Packed, Packed, Tensor, Tensor]:
    """Packs (k, size) on the device → source, target, labels and weights of one batch."""

    def field(name: str) -> Tensor:
        return numbers[:, layout.fields[name]].reshape(-1)

    source, target = (
        Packed(field(f"{side}_ids"), field(f"{side}_positions"), field(f"{side}_segments"), layout.window)
        for side in ("source", "target")
    )
    return source, target, field("labels").long(), field("weights").view(torch.float32)


class BatchLoader:
    """A thread that takes packs from the workers, joins them into batches and copies them to the device.

    `packs` gives the number of packs of forward pass n; `first` is the number of the first pass.
    """

    def __init__(self, pool: WorkerPool, device: torch.device, packs: Callable[[int], int], first: int) -> None:
        self._pool = pool
        self._layout = pool.plan.layout
        self._device = device
        self._packs = packs
        self._first = first
        self._ready: queue.Queue[Any] = queue.Queue(maxsize=AHEAD)
        self._stop = threading.Event()
        self._stream: Any = torch.cuda.Stream(device) if device.type == "cuda" else None  # type: ignore[no-untyped-call]
        self._thread = threading.Thread(target=self._run, name="redraft-loader", daemon=True)
        self._thread.start()

    def next(self) -> Batch:
        item = self._ready.get()
        if isinstance(item, BaseException):
            raise item
        numbers, copied, facts = item
        if copied is not None:
            current = torch.cuda.current_stream(self._device)
            current.wait_event(copied)
            numbers.record_stream(current)
        return Batch(*unpack(numbers, self._layout), **facts)

    def close(self) -> None:
        """Ends the thread. The worker pool is closed by the code that opened it."""
        self._stop.set()
        while self._thread.is_alive():
            try:
                self._ready.get(timeout=0.1)
            except queue.Empty:
                continue

    def _run(self) -> None:
        number = self._first
        try:
            while not self._stop.is_set():
                self._ready.put(self._load(self._packs(number)))
                number += 1
        except BaseException as error:  # raised again in the training thread
            self._ready.put(error)

    def _load(self, packs: int) -> tuple[Tensor, Any, dict[str, Any]]:
        host = torch.empty((packs, self._layout.size), dtype=torch.int32, pin_memory=self._stream is not None)
        rows = host.numpy()
        facts: dict[str, Any] = {"packs": packs, "pairs": 0, "tokens": 0, "skipped": 0, "counters": {}}
        for index in range(packs):
            pack = self._pool.take()
            np.copyto(rows[index], pack.numbers)
            facts["pairs"] += pack.report.pairs
            facts["tokens"] += pack.report.tokens
            facts["skipped"] += pack.report.skipped
            facts["counters"][pack.partition] = pack.report.counters
        if self._stream is None:
            return host, None, facts
        # torch's allocator of pinned memory waits for the copy before it reuses the block.
        with torch.cuda.stream(self._stream):
            numbers = host.to(self._device, non_blocking=True)
            copied = torch.cuda.Event()  # type: ignore[no-untyped-call]
            copied.record(self._stream)
        return numbers, copied, facts
