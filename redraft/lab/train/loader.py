"""Brings packed units to the device ahead of time."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from redraft.lab.train.batches import Layout
from redraft.lab.train.workers import Feed
from redraft.model.windows import Packed

AHEAD = 3
"""Batches that wait on the device."""


@dataclass(frozen=True, slots=True)
class Batch:
    source: Packed
    target: Packed
    labels: Tensor  # (P,)
    weights: Tensor  # (P,)
    units: int
    pairs: int
    tokens: int
    skipped: int
    states: dict[int, tuple[int, ...]]
    """Where each lane in this batch stands after it."""


def unpack(numbers: Tensor, layout: Layout) -> tuple[Packed, Packed, Tensor, Tensor]:
    """Units (k, size) on the device → source, target, labels and weights of one batch."""

    def row(name: str) -> Tensor:
        return numbers[:, layout.fields[name]].reshape(-1)

    source, target = (
        Packed(row(f"{side}_ids"), row(f"{side}_positions"), row(f"{side}_segments"), layout.window)
        for side in ("source", "target")
    )
    return source, target, row("labels").long(), row("weights").view(torch.float32)


class Loader:
    """A thread that takes units from the feed, joins them into batches and copies them to the device."""

    def __init__(self, feed: Feed, device: torch.device, units: Callable[[int], int], first: int) -> None:
        self._feed = feed
        self._layout = feed.plan.layout
        self._device = device
        self._units = units
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
        self._stop.set()
        while self._thread.is_alive():
            try:
                self._ready.get(timeout=0.1)
            except queue.Empty:
                continue
        self._feed.close()

    def _run(self) -> None:
        number = self._first
        try:
            while not self._stop.is_set():
                self._ready.put(self._load(self._units(number)))
                number += 1
        except BaseException as error:  # the training thread raises it
            self._ready.put(error)

    def _load(self, units: int) -> tuple[Tensor, Any, dict[str, Any]]:
        host = torch.empty((units, self._layout.size), dtype=torch.int32, pin_memory=self._stream is not None)
        rows = host.numpy()
        facts: dict[str, Any] = {"units": units, "pairs": 0, "tokens": 0, "skipped": 0, "states": {}}
        for index in range(units):
            unit = self._feed.take()
            np.copyto(rows[index], unit.numbers)
            facts["pairs"] += unit.report.pairs
            facts["tokens"] += unit.report.tokens
            facts["skipped"] += unit.report.skipped
            facts["states"][unit.lane] = unit.report.state
        if self._stream is None:
            return host, None, facts
        # Pinned memory comes from a caching allocator that waits for the copy before it hands the block out again.
        with torch.cuda.stream(self._stream):
            numbers = host.to(self._device, non_blocking=True)
            copied = torch.cuda.Event()  # type: ignore[no-untyped-call]
            copied.record(self._stream)
        return numbers, copied, facts
