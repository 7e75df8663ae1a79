"""The parts of the GPU measurements that need no GPU."""

from __future__ import annotations

import pytest
import torch
from tiny import PAIRS

from redraft.engines.cuda.engine import CudaEngine
from redraft.engines.torch import TorchEngine
from redraft.lab.bench import gpu
from redraft.lab.bench.forced_decoding import ForcedDecoding
from redraft.lab.bench.gpu import Setting, count_differences
from redraft.lab.bench.teacher_forcing import TokenPair
from redraft.tokens.tokenizer import Tokenizer


@pytest.fixture(scope="module")
def setting(tiny_model):
    tokenizer = Tokenizer.load(tiny_model.tokenizer)
    return Setting("cpu", torch.float32, seconds=60, sentences=2, tokenizer=tokenizer, tiny=True)


@pytest.fixture(scope="module")
def pairs(setting):
    return [TokenPair(setting.tokenizer.encode(source), setting.tokenizer.encode(target)) for source, target in PAIRS]


def test_every_way_to_decode_gives_the_same_output(pairs, setting, tiny_model):
    exact = TorchEngine.load(tiny_model)
    report = count_differences(CudaEngine(exact.model, tiny_model.eos), exact, pairs, setting)
    assert report["sentences"] == len(PAIRS)
    assert report["alone refine"]["unlike_greedy"] == report["unlike single precision"] == 0
    assert report["alone refine"]["calls"] < report["alone none"]["calls"]


def test_methods_are_compared_with_the_slowest(monkeypatch, pairs, setting, tiny_model):
    monkeypatch.setattr(gpu, "SLOW_METHODS", 2)
    eager = TorchEngine.load(tiny_model)
    graphs = CudaEngine(eager.model, tiny_model.eos)
    forced = ForcedDecoding(pairs[:4], setting.tokenizer)
    methods = forced.decoding_methods("eager", eager, ("none",)) | forced.decoding_methods(
        "graphs", graphs, ("none", "refine")
    )
    report = gpu.compare(methods, graphs, forced.pairs, setting)
    assert {name: figures["sentences"] for name, figures in report["methods"].items()} == {
        "eager greedy": 2,
        "graphs greedy": 4,
        "graphs refine": 4,
    }
    assert report["methods"]["graphs refine"]["calls"] < report["methods"]["graphs greedy"]["calls"]
    assert report["speed"]["eager greedy"] == 1
    assert report["lower_bound_ms"] >= 0 and report["launches"]["tokens"] > 1
