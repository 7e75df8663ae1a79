"""What a token gets is its own, to the last bit, in every precision, whatever shares its pass."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
import onnxruntime
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_models import LETTERS, VOCABULARY, random_model
from shapes import SHAPES
from tiny import PAIRS

from redraft.decode.drafts import POLICIES
from redraft.decode.loop import DecodeOptions, decode_batch
from redraft.decode.onnx_stepper import OnnxEngine
from redraft.decode.stepper import Engine, Feed, Ranking
from redraft.errors import ModelError
from redraft.export.onnx_graph import export
from redraft.export.quantized_weights import export_quantized
from redraft.model.folder import GRAPHS, ModelFolder, Precision, seal
from redraft.tokens.tokenizer import Tokenizer

sources = st.lists(st.integers(3, VOCABULARY - 1), max_size=20)
batches = st.lists(sources, min_size=1, max_size=5)
every_engine = pytest.mark.parametrize(
    ("shape", "precision", "threads"),
    [(shape, precision, threads) for shape in SHAPES for precision in GRAPHS for threads in (1, 2)],
)


@cache
def quantized_model(shape: str) -> ModelFolder:
    return export_quantized(random_model(shape), Path(mkdtemp()) / "int8")


@cache
def engine_of(shape: str, precision: Precision, threads: int) -> OnnxEngine:
    return OnnxEngine(quantized_model(shape), threads, precision)


def rankings(engine: Engine, batch: Sequence[Sequence[int]], row: int, parts: Sequence[Sequence[int]]) -> list[Ranking]:
    """All log-probabilities behind the last token of each part, fed to one row while the others get their sources."""
    stepper = engine.start(batch)
    found = []
    for number, part in enumerate(parts):
        others = [Feed(place, [1, *source][: 1 + 3 * number]) for place, source in enumerate(batch) if place != row]
        feeds = sorted([*others, Feed(row, part)], key=lambda feed: feed.row)
        found.append(stepper.rank(feeds, VOCABULARY)[row])
        for feed in others:
            stepper.rewind(feed.row, 0)
    return found


@every_engine
@settings(max_examples=8, deadline=None)
@given(data=st.data(), batch=batches)
def test_alone_all_at_once_or_in_a_batch_gives_the_same_bits(shape, precision, threads, data, batch):
    engine = engine_of(shape, precision, threads)
    row = data.draw(st.integers(0, len(batch) - 1))
    source = batch[row]
    target = [1, *source]
    cuts = sorted(data.draw(st.sets(st.integers(1, len(target)))) | {len(target)})
    parts = [target[start:end] for start, end in zip([0, *cuts], cuts, strict=False)]
    one_by_one = rankings(engine, [source], 0, [[token] for token in target])
    assert rankings(engine, [source], 0, [target]) == one_by_one[-1:]
    assert rankings(engine, [source], 0, parts) == [one_by_one[end - 1] for end in cuts]
    assert rankings(engine, batch, row, parts) == [one_by_one[end - 1] for end in cuts]


@every_engine
@settings(max_examples=6, deadline=None)
@given(batch=batches)
def test_every_policy_in_any_batch_decodes_what_greedy_decodes_alone(shape, precision, threads, batch):
    engine = engine_of(shape, precision, threads)
    greedy = [decode_batch(engine, [source], LETTERS, DecodeOptions(policy="none"))[0] for source in batch]
    expected = [(decoded.ids, decoded.log_probabilities) for decoded in greedy]
    for policy in POLICIES:
        decoded = decode_batch(engine, batch, LETTERS, DecodeOptions(policy=policy))
        assert [(each.ids, each.log_probabilities) for each in decoded] == expected


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
    monkeypatch.setattr("redraft.export.products.EXACT_SUM", 0)
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

    class Watched(onnxruntime.InferenceSession):
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


def test_what_lay_in_memory_before_does_not_matter(monkeypatch):
    """The second row falls behind the first, whose tokens lie where the second has never written."""
    monkeypatch.setattr("numpy.empty", lambda shape, dtype=float: np.full(shape, np.nan, dtype))
    engine = engine_of("bart", "int8", 1)
    both, alone = engine.start([[5, 9, 13], [7, 8]]), engine.start([[7, 8]])
    for fast, slow in (([1, 5, 6, 7, 8], [1]), ([9, 10, 11, 12, 13], [5]), ([14], [6])):
        assert both.extend([Feed(0, fast), Feed(1, slow)])[1] == alone.extend([Feed(0, slow)])[0]
