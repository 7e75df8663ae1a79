from __future__ import annotations

import onnx
import pytest

from redraft.errors import ModelError
from redraft.lab.export.onnx_graph import decoder_graph, encoder_graph
from redraft.model.folder import GRAPHS, WEIGHTS, ModelFolder

every_graph = pytest.mark.parametrize(
    "name", [name for pair in GRAPHS.values() for name in (pair.encoder, pair.decoder)]
)


@every_graph
def test_graphs_are_small_because_weights_stay_in_the_weights_file(tiny_model: ModelFolder, name):
    path = tiny_model.graph(name)
    onnx.checker.check_model(str(path))
    graph = onnx.load(str(path), load_external_data=False).graph
    outside = [tensor for tensor in graph.initializer if tensor.data_location == onnx.TensorProto.EXTERNAL]
    assert {entry.value for tensor in outside for entry in tensor.external_data if entry.key == "location"} == {WEIGHTS}
    assert {tensor.name for tensor in outside} <= set(tiny_model.tensors)
    inside = sum(len(tensor.raw_data) for tensor in graph.initializer)
    assert inside < tiny_model.weights.stat().st_size / 10


@pytest.mark.parametrize("precision", GRAPHS)
def test_both_graphs_together_read_every_tensor(tiny_model, precision):
    names = {
        tensor.name
        for graph in (encoder_graph(tiny_model, precision), decoder_graph(tiny_model, precision))
        for tensor in graph.graph.initializer
    }
    assert set(tiny_model.tensors) <= names


@pytest.mark.parametrize("precision", GRAPHS)
def test_exporting_twice_gives_the_same_bytes(tiny_model, precision):
    written = tiny_model.graph(GRAPHS[precision].encoder).read_bytes()
    assert encoder_graph(tiny_model, precision).SerializeToString(deterministic=True) == written


def test_a_folder_without_graphs_says_how_to_make_them(tiny_model, tmp_path):
    bare = ModelFolder(tmp_path, tiny_model.info, tiny_model.config, tiny_model.tensors)
    assert bare.precisions == ()
    with pytest.raises(ModelError, match="redraft export"):
        bare.graph(GRAPHS["fp32"].encoder)
