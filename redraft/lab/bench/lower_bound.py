"""The least time the hardware allows for decoding a sentence, after the roofline model.

It is the longer of two times: reading the weights from memory once a pass, and multiplying at the machine's peak rate.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np

from redraft.model.config import ModelConfig

BYTES = {"int8": 1, "fp32": 4}
"""Bytes of a weight by precision."""
ROUNDS = 40
SIDES = (512, 1024)
"""Sizes of the square matrices multiplied; the faster one differs from machine to machine, with the caches."""


@dataclass(frozen=True, slots=True)
class Work:
    """The least work that decoding a sentence takes."""

    bytes: int
    """Bytes of weights to read, each matrix once a pass."""
    operations: int
    """Multiplications and additions with weights, without attention, which is a few percent."""


@dataclass(frozen=True, slots=True)
class Rates:
    """Peak rates of this machine, measured in this run."""

    bytes_per_second: float
    operations_per_second: float


@dataclass(frozen=True, slots=True)
class LowerBound:
    work: Work
    rates: Rates

    @property
    def milliseconds(self) -> float:
        """The slower of reading and multiplying, which can overlap."""
        return 1000 * max(
            self.work.bytes / self.rates.bytes_per_second, self.work.operations / self.rates.operations_per_second
        )

    def to_mapping(self) -> dict[str, Any]:
        return {**asdict(self.work), **asdict(self.rates), "milliseconds": self.milliseconds}


@dataclass(frozen=True, slots=True)
class _Matrices:
    """Number of weights in the matrices that source tokens go through, and in those of a decoder pass."""

    source: int
    target: int


def count_work(config: ModelConfig, precision: str, source: int, passes: Sequence[int]) -> Work:
    """The work for `source` source tokens and decoder passes over `passes` target tokens each."""
    matrices = _count_matrices(config)
    size = matrices.source + matrices.target * len(passes)
    return Work(
        bytes=size * BYTES[precision],
        operations=2 * (matrices.source * source + matrices.target * sum(passes)),
    )


def _count_matrices(config: ModelConfig) -> _Matrices:
    source = target = 0
    for name, shape in config.tensors():
        if len(shape) < 2 or ".positions." in name:
            continue
        # Cross-attention keys and values are computed once. Embedding a token reads one row; the output reads them all.
        if name.startswith("encoder") or ".key_value." in name:
            source += shape[0] * shape[1]
        elif name != "embedding.weight" or config.tie_output:
            target += shape[0] * shape[1]
    return _Matrices(source, target)


def measure_rates(size: int, precision: str, threads: int) -> Rates:
    """Peak rates. Memory is read in a block of `size` bytes, so that caches help as much as with the weights."""
    return Rates(_measure_memory(size, threads), _measure_products(precision, threads))


def _measure_memory(size: int, threads: int) -> float:
    block = np.ones(max(threads, size // 8), dtype=np.int64)
    parts = np.array_split(block, threads)
    with ThreadPoolExecutor(threads) as pool:
        return block.nbytes / time_fastest(lambda: list(pool.map(np.maximum.reduce, parts)))


def _measure_products(precision: str, threads: int) -> float:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    best = 0.0
    for side in SIDES:
        graph = _multiplication(side, precision)
        session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
        left = np.ones((side, side), dtype=np.uint8 if precision == "int8" else np.float32)
        best = max(best, 2 * side**3 / time_fastest(partial(session.run, None, {"left": left})))
    return best


def _multiplication(side: int, precision: str) -> bytes:
    import onnx
    from onnx import TensorProto, helper

    kind, left, right, result = (
        ("MatMulInteger", TensorProto.UINT8, np.int8, TensorProto.INT32)
        if precision == "int8"
        else ("MatMul", TensorProto.FLOAT, np.float32, TensorProto.FLOAT)
    )
    graph = helper.make_graph(
        [helper.make_node(kind, ["left", "right"], ["product"])],
        "multiplication",
        [helper.make_tensor_value_info("left", left, [side, side])],
        [helper.make_tensor_value_info("product", result, [side, side])],
        [onnx.numpy_helper.from_array(np.ones((side, side), dtype=right), "right")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
    return bytes(model.SerializeToString())


def time_fastest(work: Callable[[], object]) -> float:
    """Seconds of the fastest of several rounds: other programs can only slow it down."""
    fastest = float("inf")
    for _ in range(ROUNDS):
        start = time.perf_counter()
        work()
        fastest = min(fastest, time.perf_counter() - start)
    return fastest
