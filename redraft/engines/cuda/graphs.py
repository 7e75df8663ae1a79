"""CUDA graphs: a computation with fixed shapes and addresses that is launched as a whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch


def capture(compute: Callable[[], None], device: torch.device, pool: Any) -> Callable[[], None]:
    """A graph of the computation; without a GPU, the computation itself. `pool` is of memory that graphs share.

    The pass before the capture loads and compiles the kernels: on a GPU, the computation runs once here already.
    """
    if device.type != "cuda":
        return compute
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.device(device), single_precision_sums():
        side = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            compute()
        torch.cuda.current_stream().wait_stream(side)
        with torch.cuda.graph(graph, pool=pool, capture_error_mode="thread_local"):
            compute()
    return graph.replay


@contextmanager
def single_precision_sums() -> Iterator[None]:
    """Partial sums of half precision products are not rounded to half precision before they are added."""
    settings = torch.backends.cuda.matmul
    before = settings.allow_fp16_reduced_precision_reduction, settings.allow_bf16_reduced_precision_reduction
    settings.allow_fp16_reduced_precision_reduction = settings.allow_bf16_reduced_precision_reduction = False
    try:
        yield
    finally:
        settings.allow_fp16_reduced_precision_reduction, settings.allow_bf16_reduced_precision_reduction = before
