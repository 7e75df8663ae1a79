"""Multiplication by a weight matrix, in single precision or in 8-bit integers.

In integers, each row of the left side has its own scale, so the result for a token depends on that token alone, not on
the others in the pass, as it would with one scale for all. Sums of integers are exact in any order.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from onnx import TensorProto

from redraft.lab.export.graph import Graph
from redraft.model.folder import LEVELS, scale_of

_SMALLEST = 1e-30
"""Replaces the peak of a row of weights that are all zero."""
_FEWER_LEVELS = 63
_BELOW_ZERO = 8
"""If activations have a lower bound, an eighth of the byte range is for values below zero."""
_DEPTH = 64
EXACT_SUM = 255 * LEVELS * _DEPTH
"""The sum that only a processor without saturation gets for the largest bytes."""


class MatMul(ABC):
    @abstractmethod
    def multiply(self, graph: Graph, x: str, weight: str, least: float | None = None) -> str:
        """(…, in) times the stored (out, in) → (…, out). `least` is a lower bound of the numbers in x, if known."""

    @abstractmethod
    def levels(self, graph: Graph) -> str | None:
        """The number of quantization levels of activations on either side of zero; None without quantization."""


class FloatMatMul(MatMul):
    def multiply(self, graph: Graph, x: str, weight: str, least: float | None = None) -> str:
        return graph.op("MatMul", x, graph.weight(weight, transposed=True))

    def levels(self, graph: Graph) -> str | None:
        return None


@dataclass(frozen=True, slots=True)
class _Rounding:
    """Quantization of a row whose peak is 1 to unsigned bytes: the step size and the zero point."""

    step: str
    zero: str


class Int8MatMul(MatMul):
    def __init__(self) -> None:
        self._exact: str | None = None
        self._matrices: dict[str, tuple[str, str]] = {}

    def multiply(self, graph: Graph, x: str, weight: str, least: float | None = None) -> str:
        matrix, scales = self._matrix(graph, weight)
        peak = self._peak(graph, x, least)
        rounding = self._rounding(graph, least is not None)
        # A row of zeros has peak 0. Whatever byte 0/0 becomes, it is finite, and multiplied by 0 it is 0 again.
        values = graph.op("QuantizeLinear", graph.op("Div", x, peak), rounding.step, rounding.zero)
        product = graph.contrib("MatMulIntegerToFloat", values, matrix, rounding.step, scales, rounding.zero)
        return graph.op("Mul", product, peak)

    def levels(self, graph: Graph) -> str | None:
        return graph.op("Reciprocal", self._rounding(graph, False).step)

    def _peak(self, graph: Graph, x: str, least: float | None) -> str:
        if least is None:
            return graph.op("ReduceMax", graph.op("Abs", x), graph.integers(-1), keepdims=1)
        peak = graph.op("ReduceMax", x, graph.integers(-1), keepdims=1)
        # At least high enough for the lowest number to fit into the bytes below zero.
        return graph.op("Max", peak, graph.number(-least * (_BELOW_ZERO - 1))) if least else peak

    def _rounding(self, graph: Graph, bounded: bool) -> _Rounding:
        full, fewer = (_levels(most, bounded) for most in (2 * LEVELS + 1, 2 * _FEWER_LEVELS + 1))
        steps = (graph.number(1 / levels.above) for levels in (full, fewer))
        zeros = (graph.constant(np.array(levels.zero, dtype=np.uint8)) for levels in (full, fewer))
        exact = self._is_exact(graph)
        return _Rounding(graph.op("Where", exact, *steps), graph.op("Where", exact, *zeros))

    def _is_exact(self, graph: Graph) -> str:
        """Whether this processor multiplies bytes without saturation.

        Older processors add two products of unsigned and signed bytes in 16 bits, where twice 255 · 127 saturates; with
        half the levels it fits. ONNX Runtime computes this when it opens the graph, by constant folding.
        """
        if self._exact is None:
            most = graph.constant(np.full((2, _DEPTH), 2 * LEVELS + 1, dtype=np.uint8))
            largest = graph.constant(np.full((_DEPTH, 16), LEVELS, dtype=np.int8))
            lowest = graph.op("ReduceMin", graph.op("MatMulInteger", most, largest), keepdims=0)
            self._exact = graph.op("Equal", lowest, graph.constant(np.array(EXACT_SUM, dtype=np.int32)))
        return self._exact

    def _matrix(self, graph: Graph, name: str) -> tuple[str, str]:
        """The weight as signed bytes (in, out), and the scale of each column."""
        if name not in self._matrices:
            values, scales = self._stored(graph, name) if graph.is_quantized(name) else self._quantize(graph, name)
            self._matrices[name] = graph.op("Transpose", values, perm=[1, 0]), scales
        return self._matrices[name]

    def _stored(self, graph: Graph, name: str) -> tuple[str, str]:
        return graph.stored(name), graph.stored(scale_of(name))

    def _quantize(self, graph: Graph, name: str) -> tuple[str, str]:
        """`quantized_weights.quantize` as nodes; ONNX Runtime computes them once, when it opens the graph."""
        weight = graph.weight(name)
        peaks = graph.op("ReduceMax", graph.op("Abs", weight), graph.integers(1), keepdims=1)
        scales = graph.op("Div", graph.op("Max", peaks, graph.number(_SMALLEST)), graph.number(LEVELS))
        values = graph.op("Cast", graph.op("Round", graph.op("Div", weight, scales)), to=TensorProto.INT8)
        return values, graph.op("Squeeze", scales, graph.integers(1))


@dataclass(frozen=True, slots=True)
class _Levels:
    above: int
    zero: int


def _levels(most: int, bounded: bool) -> _Levels:
    """Division of the bytes up to `most` between numbers above and below zero."""
    zero = (most + 1) // (_BELOW_ZERO if bounded else 2)
    return _Levels(most - zero, zero)
