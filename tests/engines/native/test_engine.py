"""The native engine computes what ONNX Runtime computes in integers, and fails only where it says so."""

from __future__ import annotations

import ctypes
import gc
import importlib.util
import os
import platform
import shutil
import threading
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from random_models import (
    LETTERS,
    NATIVE,
    VOCABULARY,
    needs_native,
    onnx_engine_with,
    quantized_model,
    random_model,
    sources_out_of_range,
)
from safetensors.torch import load_file, save_file
from shapes import SHAPES

from redraft.decode.loop import Decoded, DecodeOptions, decode_batch
from redraft.decode.stepper import Engine, Feed, Ranking
from redraft.engines.native import library
from redraft.engines.native.engine import NativeEngine, can_run
from redraft.engines.native.library import LIBRARY, VARIANTS, variants
from redraft.engines.opening import open_engine
from redraft.engines.torch import TorchEngine
from redraft.errors import ConfigError, InputError, ModelError
from redraft.lab.bench.models import write_untrained
from redraft.model.config import preset
from redraft.model.folder import LEVELS, WEIGHTS, scale_of, seal

ROOT = Path(__file__).parents[3]
sources = st.lists(st.integers(3, VOCABULARY - 1), max_size=20)


def load_build_script():
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def flags_of_processor() -> set[str]:
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    return {flag for line in lines if line.startswith("flags") for flag in line.split()}


def test_it_was_built_wherever_it_can_run():
    """Or everything would be slower, and nothing would say so."""
    if platform.machine() != "x86_64" or shutil.which(os.environ.get("CC") or "cc") is None:
        pytest.skip("what other processors can run is not looked up here, and building takes a C compiler")
    flags = flags_of_processor()
    wanted = {
        "avx512": {"avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512_vnni", "fma"},
        "avxvnni": {"avx2", "fma", "avx_vnni"},
        "avx2": {"avx2", "fma"},
    }
    assert variants() == [name for name, needed in wanted.items() if needed <= flags]
    # Those for other processors are there too: a wheel is made on one machine and used on others.
    library = ctypes.CDLL(str(LIBRARY))
    assert [name for name in VARIANTS if hasattr(library, f"redraft_open_{name}")] == list(wanted)


def log_probabilities(
    engine: Engine, source: list[int], target: list[int], vocabulary: int = VOCABULARY
) -> torch.Tensor:
    stepper = engine.start([source])
    rows = []
    for token in [1, *target]:
        (ranking,) = stepper.rank([Feed(0, [token])], vocabulary)
        rows.append([score for _, score in sorted(zip(ranking.ids, ranking.log_probabilities, strict=True))])
    return torch.tensor(rows)


def tolerance(engine: NativeEngine) -> float:
    """Engines round to the same bytes; where rounding falls the other way, a number moves by a level."""
    return 0.3 * LEVELS / engine.levels


@pytest.mark.parametrize("variant", NATIVE)
@pytest.mark.parametrize("shape", SHAPES)
def test_it_is_as_exact_as_onnx(shape, variant):
    engine = NativeEngine(quantized_model(shape), 1, variant)
    other = onnx_engine_with(engine.levels, quantized_model(shape).path)
    exact = TorchEngine.load(quantized_model(shape), dtype=torch.float64)
    ours = theirs = 0.0
    for length in range(20):
        source = [3 + (length * 5 + number * 7) % 37 for number in range(length)]
        expected = log_probabilities(exact, source, source)
        ours += float((log_probabilities(engine, source, source) - expected).abs().mean())
        theirs += float((log_probabilities(other, source, source) - expected).abs().mean())
    assert 0 < ours < 1.1 * theirs


@pytest.mark.parametrize("variant", NATIVE)
@pytest.mark.parametrize("positions", ["rotary", "sinusoidal"])
def test_sizes_that_fill_no_register(positions, variant):
    config = preset(
        "tiny", vocabulary=45, width=36, heads=3, ffn=50, max_tokens=90, positions=positions, activation="swish"
    )
    tokenizer = Path(mkdtemp()) / "tokenizer.json"
    tokenizer.write_text("{}")
    folder = write_untrained(Path(mkdtemp()) / "odd", config, tokenizer)
    source = [3 + number * 7 % 40 for number in range(19)]
    engine = NativeEngine(folder, 2, variant)
    ours = log_probabilities(engine, source, source, config.vocabulary)
    theirs = log_probabilities(onnx_engine_with(engine.levels, folder.path), source, source, config.vocabulary)
    torch.testing.assert_close(ours, theirs, rtol=0, atol=tolerance(engine))


@needs_native
def test_a_target_far_longer_than_its_source():
    config = preset("tiny", vocabulary=VOCABULARY, max_tokens=120)
    tokenizer = Path(mkdtemp()) / "tokenizer.json"
    tokenizer.write_text("{}")
    engine = NativeEngine(write_untrained(Path(mkdtemp()) / "long", config, tokenizer), 1)
    target = [1, *(3 + number * 11 % 37 for number in range(110))]
    at_once = engine.start([[5, 6]]).extend([Feed(0, target)])[0]
    stepper = engine.start([[5, 6]])
    step_by_step = [stepper.extend([Feed(0, [token])])[0] for token in target]
    assert at_once.ids == [prediction.ids[0] for prediction in step_by_step]
    assert at_once.log_probabilities == [prediction.log_probabilities[0] for prediction in step_by_step]


@pytest.mark.parametrize("variant", NATIVE)
@settings(max_examples=10, deadline=None)
@given(batch=st.lists(sources, min_size=1, max_size=4))
def test_any_number_of_threads_gives_the_same_bits(variant, batch):
    folder = quantized_model("ours")
    found = []
    for threads in (1, 2, 7):
        decoded = decode_batch(NativeEngine(folder, threads, variant), batch, LETTERS, DecodeOptions())
        found.append([(each.ids, each.log_probabilities) for each in decoded])
    assert found[0] == found[1] == found[2]


@needs_native
def test_callers_at_once_get_what_each_gets_alone():
    engine = NativeEngine(quantized_model("ours"), 2)
    batches = [[[3 + (start + number) % 37 for number in range(4 + start)]] for start in range(12)]
    alone = [decode_batch(engine, batch, LETTERS, DecodeOptions())[0].ids for batch in batches]
    together: dict[int, list[list[int]]] = {}

    def decode(place: int) -> None:
        together[place] = [decode_batch(engine, batches[place], LETTERS, DecodeOptions())[0].ids for _ in range(20)]

    callers = [threading.Thread(target=decode, args=(place,)) for place in range(len(batches))]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert together == {place: [ids] * 20 for place, ids in enumerate(alone)}


@pytest.mark.parametrize("variant", NATIVE)
def test_workers_at_once_give_the_bits_of_the_engine(variant):
    engine = NativeEngine(quantized_model("ours"), 3, variant)
    batches = [[[3 + (start + number) % 37 for number in range(4 + start)], [5, 6]] for start in range(12)]
    alone = [decode_batch(engine, batch, LETTERS, DecodeOptions()) for batch in batches]
    workers = engine.workers
    assert len(workers) == 3 and engine.workers == workers
    found: dict[int, list[Decoded]] = {}

    def decode(worker: Engine, places: range) -> None:
        for place in places:
            found[place] = decode_batch(worker, batches[place], LETTERS, DecodeOptions())

    threads = [threading.Thread(target=decode, args=(workers[n], range(n, 12, 3))) for n in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found[place] for place in range(12)] == alone


@needs_native
def test_a_worker_keeps_the_weights_that_it_shares():
    engine = NativeEngine(quantized_model("ours"), 2)
    expected = decode_batch(engine, [[5, 6, 7]], LETTERS, DecodeOptions())
    worker = engine.workers[0]
    del engine
    gc.collect()
    assert decode_batch(worker, [[5, 6, 7]], LETTERS, DecodeOptions()) == expected
    single = NativeEngine(quantized_model("ours"), 1)
    assert single.workers == (single,)


@pytest.mark.parametrize("variant", NATIVE)
def test_the_likeliest_token_is_the_first_of_the_ranking(variant):
    engine = NativeEngine(quantized_model("marian"), 1, variant)
    best = engine.start([[5, 9]]).extend([Feed(0, [1, 5])])[0]
    ranking: Ranking = engine.start([[5, 9]]).rank([Feed(0, [1, 5])], VOCABULARY)[0]
    assert best.ids[-1] == ranking.ids[0]
    assert best.log_probabilities[-1] == pytest.approx(ranking.log_probabilities[0], abs=1e-5)


@needs_native
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="threads are counted in /proc")
def test_threads_end_with_the_engine():
    gc.collect()
    before = len(list(Path("/proc/self/task").iterdir()))
    engine = NativeEngine(quantized_model("ours"), 4)
    assert len(list(Path("/proc/self/task").iterdir())) == before + 3
    del engine
    gc.collect()
    assert len(list(Path("/proc/self/task").iterdir())) == before


@needs_native
def test_it_is_the_default_for_bytes_and_for_nothing_else(monkeypatch):
    assert open_engine(quantized_model("ours")).name == "native int8"
    assert open_engine(quantized_model("ours"), precision="fp32").name == "onnx fp32"
    assert open_engine(random_model("ours")).name == "onnx int8"
    assert not can_run(random_model("ours"))
    with pytest.raises(ConfigError, match="redraft export"):
        open_engine(random_model("ours"), "native")
    with pytest.raises(ConfigError, match="fp32"):
        open_engine(quantized_model("ours"), "native", precision="fp32")


def test_where_it_was_not_built_onnx_takes_over(monkeypatch):
    monkeypatch.setattr("redraft.engines.native.engine.variants", list)
    assert open_engine(quantized_model("ours")).name == "onnx int8"
    with pytest.raises(ConfigError, match="engine native cannot run"):
        open_engine(quantized_model("ours"), "native")


@pytest.mark.skipif(not (ROOT / "hatch_build.py").exists(), reason="the build script is not beside the tests")
def test_building_says_why_it_could_not(tmp_path, monkeypatch):
    build = load_build_script()
    folder = ROOT / "redraft" / "native"
    monkeypatch.setenv("CC", "no-such-compiler")
    assert "no-such-compiler" in build.compile_library(folder, tmp_path / "library.so")
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    assert "riscv64" in build.compile_library(folder, tmp_path / "library.so")
    assert not (tmp_path / "library.so").exists()


@needs_native
@pytest.mark.skipif(not (ROOT / "hatch_build.py").exists(), reason="the build script is not beside the tests")
def test_a_compiler_s_complaint_is_passed_on(tmp_path):
    build = load_build_script()
    for name in ("support.c", "network.c"):
        (tmp_path / name).write_text("not C")
    assert "error" in build.compile_library(tmp_path, tmp_path / "library.so")


@pytest.mark.skipif(not (ROOT / "hatch_build.py").exists(), reason="the build script is not beside the tests")
@pytest.mark.parametrize("version", ["standard", "editable"])
def test_only_an_editable_installation_replaces_the_library_of_the_checkout(version, tmp_path, monkeypatch):
    compiler = tmp_path / "compiler"
    compiler.write_text('#!/bin/sh\nfor last; do :; done\necho "$CONTENT" >"$last"\nexit "$STATUS"\n')
    compiler.chmod(0o755)
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    monkeypatch.delenv("REDRAFT_PURE", raising=False)
    for name, value in {"CC": str(compiler), "CONTENT": "new", "STATUS": "0"}.items():
        monkeypatch.setenv(name, value)
    kept = tmp_path / "redraft" / "engines" / "native" / "libredraft.so"
    kept.parent.mkdir(parents=True)
    kept.write_text("old\n")
    hook = load_build_script().NativeHook(str(tmp_path), {}, None, None, str(tmp_path), "wheel")
    data: dict[str, dict[str, str]] = {"force_include": {}}
    hook.initialize(version, data)
    built = [Path(path).read_text() for path in data["force_include"]]
    assert (kept.read_text(), built) == (("new\n", []) if version == "editable" else ("old\n", ["new\n"]))
    hook.finalize(version, data, "")
    assert not any(Path(path).exists() for path in data["force_include"])
    monkeypatch.setenv("STATUS", "1")
    kept.write_text("old\n")
    hook.initialize(version, {"force_include": {}})
    assert kept.read_text() == "old\n"
    assert [path.name for path in kept.parent.iterdir()] == ["libredraft.so"]


@needs_native
def test_a_library_built_from_other_sources_is_not_used(monkeypatch):
    """Its functions could take other arguments."""
    monkeypatch.setattr(library, "INTERFACE", library.INTERFACE + 1)
    library._load.cache_clear()
    try:
        assert library.variants() == []
        assert "was not built from these sources" in str(library.absence())
    finally:
        monkeypatch.undo()
        library._load.cache_clear()
    assert library.absence() is None


@pytest.mark.parametrize("variant", NATIVE)
@pytest.mark.parametrize("shape", ["ours", "bart"])
@sources_out_of_range
def test_ids_and_lengths_out_of_range_are_refused(shape, variant, source):
    """Rather than read outside the tables of embeddings and positions."""
    engine = NativeEngine(quantized_model(shape), 1, variant)
    with pytest.raises(InputError, match="out of the model's range"):
        engine.start([[5], source])
    stepper = engine.start([[5, 6]])
    with pytest.raises(InputError, match="out of the model's range"):
        stepper.extend([Feed(0, [1, *source])])


@pytest.mark.parametrize("variant", NATIVE)
def test_the_longest_source_and_target_are_taken(variant):
    engine = NativeEngine(quantized_model("ours"), 1, variant)
    stepper = engine.start([[VOCABULARY - 1] * 24])
    assert len(stepper.extend([Feed(0, [VOCABULARY - 1] * 25)])[0].ids) == 25


@needs_native
@pytest.mark.parametrize(
    "changes",
    [
        {"max_tokens": 2**63 - 1},
        {"max_tokens": 2**62},
        {"vocabulary": 2**40, "width": 2**40},
        {"width": 2**62},
        {"heads": 0},
        {"heads": 3},
        {"encoder_layers": 10**7},
        {"decoder_layers": -1},
        {"threads": 0},
        {"threads": 2**31 + 1},
        {"activation": 9},
    ],
)
def test_the_library_opens_no_network_of_a_size_out_of_range(changes):
    sizes = {"vocabulary": 40, "width": 64, "ffn": 64, "heads": 2, "encoder_layers": 1, "decoder_layers": 1}
    shape = library.Shape(**{**sizes, "max_tokens": 24, "threads": 1, "activation": 1, **changes})
    assert not library.functions(variants()[0]).open(shape, (library.TensorPointers * 1)())


@pytest.mark.parametrize("variant", NATIVE)
def test_the_likeliest_of_numbers_that_are_all_nan_is_a_token(variant):
    """The last panel of the vocabulary is not full: 40 is no multiple of 16."""
    engine = NativeEngine(quantized_model("ours"), 1, variant)
    hidden = np.full((3, engine.config.width), np.nan, dtype=np.float32)
    ids, scores = np.empty(3, dtype=np.int64), np.empty(3, dtype=np.float32)
    engine.call("best", library.floats(hidden), 3, library.ints(ids), library.floats(scores))
    assert all(0 <= index < VOCABULARY for index in ids)


@pytest.mark.parametrize("variant", NATIVE)
def test_sums_of_the_largest_weights_do_not_overflow(variant, tmp_path):
    """Variants that add products in 16 bits must not do so where the weights of a column are large."""
    folder = shutil.copytree(quantized_model("ours").path, tmp_path / "large")
    weights = load_file(folder / WEIGHTS)
    table = weights["embedding.weight"].numpy()
    choice = np.random.default_rng(7)
    table[:] = choice.choice(np.array([-127, 127, 90, -90, 1], dtype=np.int8), table.shape)
    table[0], table[1], table[20, :8] = 127, -127, 127
    save_file(weights, folder / WEIGHTS)
    engine = NativeEngine(seal(folder), 1, variant)
    hidden = choice.standard_normal((11, engine.config.width)).astype(np.float32)
    hidden[0], hidden[1] = 1, -1
    found = np.empty((11, VOCABULARY), dtype=np.float32)
    engine.call("logits", library.floats(hidden), 11, library.floats(found))
    steps = np.abs(hidden).max(axis=1, keepdims=True) / engine.levels
    sums = np.rint(hidden / steps) @ table.T.astype(np.float64)
    expected = sums * weights[scale_of("embedding.weight")].numpy() * steps
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)


@needs_native
def test_weights_that_are_not_finite_are_refused(tmp_path):
    folder = shutil.copytree(quantized_model("ours").path, tmp_path / "nan")
    weights = load_file(folder / WEIGHTS)
    weights["encoder.norm.weight"][0] = float("nan")
    save_file(weights, folder / WEIGHTS)
    with pytest.raises(ModelError, match=r"encoder\.norm\.weight has numbers that are not finite"):
        NativeEngine(seal(folder), 1)
