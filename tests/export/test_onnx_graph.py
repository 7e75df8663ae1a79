from __future__ import annotations

import onnx
import pytest

from redraft.errors import ModelError
from redraft.export.onnx_graph import decoder_graph, encoder_graph
from redraft.model.folder import DECODER_GRAPH, ENCODER_GRAPH, WEIGHTS, ModelFolder


@pytest.mark.parametrize("name", [ENCODER_GRAPH, DECODER_GRAPH])
def test_graphs_are_valid_and_small_because_weights_stay_in_the_weights_file(tiny_model: ModelFolder, name):
    path = tiny_model.graph(name)
    onnx.checker.check_model(str(path))
    assert path.stat().st_size < tiny_model.weights.stat().st_size
    graph = onnx.load(str(path), load_external_data=False).graph
    outside = [tensor for tensor in graph.initializer if tensor.data_location == onnx.TensorProto.EXTERNAL]
    assert {entry.value for tensor in outside for entry in tensor.external_data if entry.key == "location"} == {WEIGHTS}
    assert {tensor.name for tensor in outside} <= set(tiny_model.tensors)


def test_both_graphs_together_read_every_tensor(tiny_model):
    names = {
        tensor.name
        for graph in (encoder_graph(tiny_model), decoder_graph(tiny_model))
        for tensor in graph.graph.initializer
    }
    assert set(tiny_model.tensors) <= names


def test_exporting_twice_gives_the_same_bytes(tiny_model):
    assert encoder_graph(tiny_model).SerializeToString(deterministic=True) == (
        tiny_model.graph(ENCODER_GRAPH).read_bytes()
    )


def test_a_folder_without_graphs_says_how_to_make_them(tiny_model, tmp_path):
    with pytest.raises(ModelError, match="redraft export"):
        ModelFolder(tmp_path, tiny_model.info, tiny_model.config, tiny_model.tensors).graph(ENCODER_GRAPH)
