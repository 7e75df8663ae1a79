"""ONNX Runtime in every precision, on every kind of weights and processor."""

from __future__ import annotations

import shutil

import onnxruntime
import pytest
from tiny import PAIRS

from redraft.decode.loop import DecodeOptions, decode_batch
from redraft.decode.stepper import Engine, Feed
from redraft.engines.onnx import OnnxEngine
from redraft.errors import ModelError
from redraft.lab.export.onnx_graph import export
from redraft.lab.export.quantized_weights import export_quantized
from redraft.model.folder import GRAPHS, ModelFolder, seal
from redraft.tokens.tokenizer import Tokenizer


@pytest.fixture(scope="module")
def quantized_tiny(tiny_model: ModelFolder, tmp_path_factory: pytest.TempPathFactory) -> ModelFolder:
    return export_quantized(tiny_model, tmp_path_factory.mktemp("models") / "int8")


def corrections(folder: ModelFolder, engine: Engine) -> list[str]:
    tokenizer = Tokenizer.load(folder.tokenizer)
    batch = tokenizer.encode_batch([source for source, _ in PAIRS])
    return [tokenizer.decode(decoded.ids) for decoded in decode_batch(engine, batch, tokenizer, DecodeOptions())]


@pytest.mark.parametrize("stored", ["fp16", "int8"])
@pytest.mark.parametrize("precision", GRAPHS)
def test_a_trained_model_corrects_in_every_precision_from_every_kind_of_weights(
    tiny_model, quantized_tiny, precision, stored
):
    folder = quantized_tiny if stored == "int8" else tiny_model
    assert corrections(folder, OnnxEngine(folder, 1, precision)) == [target for _, target in PAIRS]


def test_integers_are_the_default_where_the_folder_has_their_graphs(tiny_model, tmp_path):
    engine = OnnxEngine(tiny_model, 1)
    assert (engine.precision, engine.name) == ("int8", "onnx int8")
    folder = shutil.copytree(tiny_model.path, tmp_path / "older")
    (folder / GRAPHS["int8"].encoder).unlink()
    older = seal(folder)
    assert OnnxEngine(older, 1).precision == "fp32"
    with pytest.raises(ModelError, match="redraft export"):
        OnnxEngine(older, 1, "int8")


def test_levels_are_those_this_processor_multiplies_exactly(tiny_model):
    assert OnnxEngine(tiny_model, 1, "int8").levels in (127, 63)
    assert OnnxEngine(tiny_model, 1, "fp32").levels is None


def test_a_processor_whose_products_overflow_gets_fewer_levels_and_the_same_answers(tiny_model, tmp_path, monkeypatch):
    """The trial in the graph is made to fail: what it compares with is not what any processor computes."""
    monkeypatch.setattr("redraft.lab.export.matmul.EXACT_SUM", 0)
    folder = export(ModelFolder.open(shutil.copytree(tiny_model.path, tmp_path / "overflow")))
    engine = OnnxEngine(folder, 1, "int8")
    assert engine.levels == 63
    assert corrections(folder, engine) == [target for _, target in PAIRS]
    source = Tokenizer.load(folder.tokenizer).encode(PAIRS[0][0])
    stepper, at_once = engine.start([source]), engine.start([source])
    single = [stepper.rank([Feed(0, [token])], 9)[0] for token in [1, *source]]
    assert at_once.rank([Feed(0, [1, *source])], 9)[0] == single[-1]


def test_bytes_stay_in_the_range_that_cannot_overflow():
    """Two products of a byte with 63 levels around 64 and a weight fit into 16 bits."""
    assert 2 * (64 + 63) * 127 < 2**15


def test_threads_are_as_many_as_asked_for(tiny_model, monkeypatch):
    opened = []

    class Watched(onnxruntime.InferenceSession):  # type: ignore[misc]  # onnxruntime has no types
        def __init__(self, path, options, **others):
            opened.append(options.intra_op_num_threads)
            super().__init__(path, options, **others)

    monkeypatch.setattr("onnxruntime.InferenceSession", Watched)
    OnnxEngine(tiny_model, 1)
    OnnxEngine(tiny_model, 2)
    assert opened == [1, 1, 2, 2]


def test_a_damaged_graph_says_which(tiny_model, tmp_path):
    folder = shutil.copytree(tiny_model.path, tmp_path / "damaged")
    (folder / GRAPHS["int8"].decoder).write_bytes(b"no graph")
    with pytest.raises(ModelError, match=r"decoder\.int8\.onnx cannot be run"):
        OnnxEngine(seal(folder), 1)
