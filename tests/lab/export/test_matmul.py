from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
import onnxruntime
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from onnx import TensorProto

from redraft.lab.export.graph import Graph
from redraft.lab.export.onnx_graph import MATMULS
from redraft.model.folder import WEIGHTS, Precision, Tensor

IN, OUT = 24, 20
WEIGHT = np.sin(np.arange(OUT * IN, dtype=np.float32)).reshape(OUT, IN)
BOUNDS = (None, 0.0, -0.17)
every_kind = pytest.mark.parametrize(
    ("precision", "least"), [(precision, least) for precision in MATMULS for least in BOUNDS]
)


@cache
def product(precision: Precision, least: float | None) -> onnxruntime.InferenceSession:
    path = Path(mkdtemp())
    (path / WEIGHTS).write_bytes(WEIGHT.tobytes())
    graph = Graph({"weight": Tensor("F32", WEIGHT.shape, 0, WEIGHT.nbytes)})
    x = graph.input("x", TensorProto.FLOAT, ["rows", IN])
    graph.output(MATMULS[precision]().multiply(graph, x, "weight", least), "y", ["rows", OUT])
    (path / "graph.onnx").write_bytes(graph.build("product").SerializeToString())
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(path / "graph.onnx", options, providers=["CPUExecutionProvider"])


def multiply(precision: Precision, least: float | None, x: np.ndarray) -> np.ndarray:
    return product(precision, least).run(None, {"x": x})[0]


def rows(least: float | None) -> st.SearchStrategy[np.ndarray]:
    elements = st.floats(-30 if least is None else float(np.float32(least)), 30, width=32)
    return arrays.arrays(np.float32, st.tuples(st.integers(2, 7), st.just(IN)), elements=elements)


@every_kind
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_the_product_is_near_the_exact_one(precision, least, data):
    x = data.draw(rows(least))
    exact = x.astype(np.float64) @ WEIGHT.T.astype(np.float64)
    # Half a step of each factor: of 127 or 63 levels for the row, of 127 for the weights.
    reach = np.maximum(np.abs(x).max(axis=1, keepdims=True), 1.19 if least else 0)
    error = 1e-4 if precision == "fp32" else IN * (reach * 0.5 / 63 + reach * 0.5 / 127)
    assert (np.abs(multiply(precision, least, x) - exact) <= error + 1e-4).all()


@every_kind
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_a_row_s_product_does_not_depend_on_the_other_rows(precision, least, data):
    x = data.draw(rows(least))
    place = data.draw(st.integers(0, len(x) - 2))
    np.testing.assert_array_equal(
        multiply(precision, least, x[place : place + 2]), multiply(precision, least, x)[place : place + 2]
    )


@every_kind
def test_rows_of_zeros_stay_zeros(precision, least):
    x = np.zeros((3, IN), dtype=np.float32)
    x[1, 5] = 2.0
    result = multiply(precision, least, x)
    assert not result[[0, 2]].any()
    assert result[1].any()


def test_integers_were_used():
    x = np.linspace(0.01, 1, 2 * IN, dtype=np.float32).reshape(2, IN)
    single, integer = (multiply(precision, None, x) for precision in ("fp32", "int8"))
    assert (single != integer).any()
