"""Profiles a few training steps and sums the time of their kernels by what they do."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

import torch
from torch.profiler import ProfilerActivity, profile

from redraft.lab.train.run_log import RunLog

STEPS = 5
KINDS: Mapping[str, tuple[str, ...]] = {
    "attention": ("window_forward", "window_backward", "attention", "fmha", "flash"),
    "matrix products": ("gemm", "nvjet", "cutlass", "xmma", "splitk", "mm"),
    "fused by the compiler": ("triton_",),
    "optimizer and copies of weights": ("multi_tensor", "foreach", "memcpy", "memset"),
}
REST = "everything else"
IDLE = "idle"


class StepProfiler:
    """Profiles STEPS steps after step `after`, once; 0 never."""

    def __init__(self, after: int, device: torch.device, log: RunLog) -> None:
        self._after = after
        self._device = device
        self._log = log
        self._profiler: Any = None
        self._started = 0.0

    def step_ended(self, step: int) -> None:
        if not self._after:
            return
        if step == self._after:
            activity = ProfilerActivity.CUDA if self._device.type == "cuda" else ProfilerActivity.CPU
            self._profiler = profile(activities=[activity])
            self._wait()
            self._profiler.start()
            self._started = time.perf_counter()
        elif self._profiler is not None and step >= self._after + STEPS:
            self._wait()
            seconds = time.perf_counter() - self._started
            self._profiler.stop()
            self._report(seconds, self._profiler.key_averages())
            self._profiler = None

    def _wait(self) -> None:
        if self._device.type == "cuda":
            torch.cuda.synchronize(self._device)

    def _report(self, seconds: float, events: Iterable[Any]) -> None:
        own_time = "self_device_time_total" if self._device.type == "cuda" else "self_cpu_time_total"
        milliseconds = sum_by_kind({event.key: getattr(event, own_time) / 1000 / STEPS for event in events})
        wall = 1000 * seconds / STEPS
        milliseconds[IDLE] = max(0.0, wall - sum(milliseconds.values()))
        self._log.record("profile", milliseconds=milliseconds, wall=wall)
        self._log.print(f"a step takes {wall:.1f} ms under the profiler:")
        for kind, spent in sorted(milliseconds.items(), key=lambda item: -item[1]):
            self._log.print(f"  {spent:7.2f} ms  {spent / wall:4.0%}  {kind}")


def sum_by_kind(times: Mapping[str, float]) -> dict[str, float]:
    """Times of kernels by name → times by kind of work."""
    sums: dict[str, float] = defaultdict(float)
    for name, spent in times.items():
        lower = name.lower()
        kind = next((kind for kind, marks in KINDS.items() if any(mark in lower for mark in marks)), REST)
        sums[kind] += spent
    return dict(sums)
