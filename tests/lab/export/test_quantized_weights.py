from __future__ import annotations

import shutil

import numpy as np
import onnxruntime
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from random_models import quantized_model
from safetensors.numpy import load_file

from redraft.engines.torch import TorchEngine
from redraft.errors import ModelError
from redraft.lab.export.graph import Graph
from redraft.lab.export.matmul import Int8MatMul
from redraft.lab.export.quantized_weights import export_quantized, quantize, write_quantized
from redraft.model.folder import FINENESS, WEIGHTS, WORDS, ModelFolder, Tensor, rest_of, scale_of, seal
from redraft.model.known_words import KnownWords

matrices = arrays.arrays(np.float32, (3, 8), elements=st.floats(-9, 9, width=16))


@pytest.fixture(scope="module")
def quantized(tiny_model: ModelFolder, tmp_path_factory: pytest.TempPathFactory) -> ModelFolder:
    return export_quantized(tiny_model, tmp_path_factory.mktemp("models") / "int8")


@settings(max_examples=50)
@given(matrix=matrices)
def test_no_number_moves_by_more_than_half_a_step(matrix):
    quantized = quantize(matrix)
    values, steps = quantized.values, quantized.scales[:, None]
    assert values.dtype == quantized.rest.dtype == np.int8
    assert np.abs(values).max() <= 127
    assert (np.abs(values * steps - matrix) <= steps * 0.5001).all()
    fine = values + quantized.rest / FINENESS
    assert (np.abs(fine * steps - matrix) <= steps * 0.501 / FINENESS).all()


@settings(max_examples=20, deadline=None)
@given(matrix=matrices)
def test_the_graph_quantizes_as_the_file_does(matrix, tmp_path_factory):
    """Weights that are not yet integers become the same integers when the runtime opens the graph."""
    path = tmp_path_factory.mktemp("graph")
    (path / WEIGHTS).write_bytes(matrix.tobytes())
    graph = Graph({"matrix": Tensor("F32", matrix.shape, 0, matrix.nbytes)})
    values, scales = Int8MatMul()._quantize(graph, "matrix")
    graph.output(graph.op("Cast", values, to=1), "values", [3, 8])
    graph.output(scales, "scales", [3])
    (path / "graph.onnx").write_bytes(graph.build("quantize").SerializeToString())
    session = onnxruntime.InferenceSession(path / "graph.onnx", providers=["CPUExecutionProvider"])
    quantized = quantize(matrix)
    for ours, theirs in zip(session.run(None, {}), (quantized.values, quantized.scales), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_the_copy_is_smaller_and_every_matrix_has_scales(tiny_model, quantized):
    assert quantized.weights.stat().st_size < 0.7 * tiny_model.weights.stat().st_size
    assert quantized.parameters == tiny_model.parameters
    for name, shape in quantized.config.tensors():
        assert (quantized.tensors[name].dtype == "I8") == (len(shape) == 2)
        assert (scale_of(name) in quantized.tensors) == (len(shape) == 2)


def test_the_copy_has_the_known_words_too(tiny_model, tmp_path):
    shutil.copytree(tiny_model.path, tmp_path / "model")
    KnownWords.build({"siblings"}).write(tmp_path / "model" / WORDS)
    copy = write_quantized(seal(tmp_path / "model"), tmp_path / "copy")
    assert copy.known_words is not None and "siblings" in copy.known_words


def test_torch_reads_integers_too(tiny_model, quantized):
    exact, rounded = (TorchEngine.load(folder).model.weights() for folder in (tiny_model, quantized))
    for name, weight in exact.items():
        step = weight.abs().amax() / 127 / (FINENESS if name == "embedding.weight" else 1)
        torch.testing.assert_close(rounded[name], weight, rtol=0, atol=float(step) * 0.51)


def test_a_lean_copy_has_the_same_matrices_without_what_refines_tables(tiny_model, quantized, tmp_path):
    full = load_file(quantized.weights)
    for source in (tiny_model, quantized):  # the second has a refined table already
        lean = load_file(export_quantized(source, tmp_path / source.path.name, lean=True).weights)
        assert full.keys() - lean.keys() == {rest_of("embedding.weight")}
        assert all((full[name] == lean[name]).all() for name in lean)


def test_a_lean_copy_of_integers_refines_no_positions_either(tmp_path):
    quantized = quantized_model("bart")
    refined = {name for name in quantized.tensors if name.endswith(".rest")}
    assert len(refined) == 3  # the embedding, and the positions of encoder and decoder
    lean = export_quantized(quantized, tmp_path / "lean", lean=True)
    assert quantized.tensors.keys() - lean.tensors.keys() == refined


def test_quantizing_again_changes_no_weight(quantized, tmp_path):
    again = export_quantized(quantized, tmp_path / "again")
    first, second = load_file(quantized.weights), load_file(again.weights)
    assert first.keys() == second.keys()
    assert all((first[name] == second[name]).all() for name in first)


def test_a_folder_in_use_is_not_written_over(tiny_model):
    with pytest.raises(ModelError, match="not empty"):
        export_quantized(tiny_model, tiny_model.path)
