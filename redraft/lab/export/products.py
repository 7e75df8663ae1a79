"""Products with a weight matrix, in single precision or in 8-bit integers.

In integers, each row of the left side has a scale of its own, so what comes out for a token depends on that token
alone, not on the others in the pass, as with one scale for all. Sums of integers are exact, whatever their order.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from onnx import TensorProto

from redraft.lab.export.graph import Graph
from redraft.model.folder import LEVELS, scale_of

_SMALLEST = 1e-30
"""Stands in for the peak of a weight's row that is nothing but zeros."""
_FEWER_LEVELS = 63
_BELOW_ZERO = 8
"""Where numbers have a lower bound, an eighth of the bytes is left for those below zero."""
_DEPTH = 64
EXACT_SUM = 255 * LEVELS * _DEPTH
"""What a processor gets that multiplies bytes without loss, and no other."""


class Products(ABC):
    @abstractmethod
    def times(self, graph: Graph, x: str, weight: str, least: float | None = None) -> str:
        """(…, in) times the stored (out, in) → (…, out). No number in x is less than `least`, where that is known."""

    @abstractmethod
    def levels(self, graph: Graph) -> str | None:
        """The number of levels activations have on either side of zero; None if they are not rounded."""


class SinglePrecision(Products):
    def times(self, graph: Graph, x: str, weight: str, least: float | None = None) -> str:
        return graph.one("MatMul", x, graph.weight(weight, transposed=True))

    def levels(self, graph: Graph) -> str | None:
        return None


@dataclass(frozen=True, slots=True)
class _Rounding:
    """How a row whose peak is 1 becomes unsigned bytes: the step between two of them, and the one that stands for 0."""

    step: str
    zero: str


class RowwiseIntegers(Products):
    def __init__(self) -> None:
        self._exact: str | None = None
        self._matrices: dict[str, tuple[str, str]] = {}

    def times(self, graph: Graph, x: str, weight: str, least: float | None = None) -> str:
        matrix, scales = self._matrix(graph, weight)
        peak = self._peak(graph, x, least)
        rounding = self._rounding(graph, least is not None)
        # A row of zeros has the peak 0: whatever byte 0/0 becomes, it is finite, and times 0 it is 0 again.
        values = graph.one("QuantizeLinear", graph.one("Div", x, peak), rounding.step, rounding.zero)
        product = graph.contrib("MatMulIntegerToFloat", values, matrix, rounding.step, scales, rounding.zero)
        return graph.one("Mul", product, peak)

    def levels(self, graph: Graph) -> str | None:
        return graph.one("Reciprocal", self._rounding(graph, False).step)

    def _peak(self, graph: Graph, x: str, least: float | None) -> str:
        if least is None:
            return graph.one("ReduceMax", graph.one("Abs", x), graph.integers(-1), keepdims=1)
        peak = graph.one("ReduceMax", x, graph.integers(-1), keepdims=1)
        # As high at least as lets the lowest number fit into the bytes below zero.
        return graph.one("Max", peak, graph.number(-least * (_BELOW_ZERO - 1))) if least else peak

    def _rounding(self, graph: Graph, bounded: bool) -> _Rounding:
        full, fewer = (_levels(most, bounded) for most in (2 * LEVELS + 1, 2 * _FEWER_LEVELS + 1))
        steps = (graph.number(1 / levels.above) for levels in (full, fewer))
        zeros = (graph.constant(np.array(levels.zero, dtype=np.uint8)) for levels in (full, fewer))
        exact = self._is_exact(graph)
        return _Rounding(graph.one("Where", exact, *steps), graph.one("Where", exact, *zeros))

    def _is_exact(self, graph: Graph) -> str:
        """Does this processor multiply all bytes without loss?

        Older ones add two products of unsigned and signed bytes in 16 bits, where 255 · 127 twice does not fit and is
        cut off; with half the levels it fits. The runtime tries it out when it opens the graph, and folds the answer.
        """
        if self._exact is None:
            most = graph.constant(np.full((2, _DEPTH), 2 * LEVELS + 1, dtype=np.uint8))
            largest = graph.constant(np.full((_DEPTH, 16), LEVELS, dtype=np.int8))
            lowest = graph.one("ReduceMin", graph.one("MatMulInteger", most, largest), keepdims=0)
            self._exact = graph.one("Equal", lowest, graph.constant(np.array(EXACT_SUM, dtype=np.int32)))
        return self._exact

    def _matrix(self, graph: Graph, name: str) -> tuple[str, str]:
        """The weight as signed bytes (in, out), and the scale of each column."""
        if name not in self._matrices:
            values, scales = self._stored(graph, name) if graph.is_quantized(name) else self._quantize(graph, name)
            self._matrices[name] = graph.one("Transpose", values, perm=[1, 0]), scales
        return self._matrices[name]

    def _stored(self, graph: Graph, name: str) -> tuple[str, str]:
        return graph.stored(name), graph.stored(scale_of(name))

    def _quantize(self, graph: Graph, name: str) -> tuple[str, str]:
        """What `quantized_weights.quantize` does, in the graph; the runtime does it once, when it opens the graph."""
        weight = graph.weight(name)
        peaks = graph.one("ReduceMax", graph.one("Abs", weight), graph.integers(1), keepdims=1)
        scales = graph.one("Div", graph.one("Max", peaks, graph.number(_SMALLEST)), graph.number(LEVELS))
        values = graph.one("Cast", graph.one("Round", graph.one("Div", weight, scales)), to=TensorProto.INT8)
        return values, graph.one("Squeeze", scales, graph.integers(1))


@dataclass(frozen=True, slots=True)
class _Levels:
    above: int
    zero: int


def _levels(most: int, bounded: bool) -> _Levels:
    """How bytes up to `most` are shared between numbers above and below zero."""
    zero = (most + 1) // (_BELOW_ZERO if bounded else 2)
    return _Levels(most - zero, zero)
