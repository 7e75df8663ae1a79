from __future__ import annotations

import json

import pytest
from tiny import TRAINED

from redraft.errors import ConfigError
from redraft.lab.bench import latency, lower_bound, startup
from redraft.lab.bench.latency import Setup, find_setups, run
from redraft.lab.bench.samples import Pair


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    monkeypatch.setattr(lower_bound, "ROUNDS", 1)
    monkeypatch.setattr(lower_bound, "SIDES", (16,))
    monkeypatch.setattr(startup, "ROUNDS", 1)
    monkeypatch.setattr(latency, "TYPICAL_ROUNDS", 2)


def test_sentences_are_grouped_by_length_and_edits(tiny_model):
    model = str(tiny_model.path)
    setups = [*find_setups(model, []), Setup.parse("torch")]
    samples = [Pair(*pair) for pair in TRAINED]
    steps: list[None] = []
    report = run(model, setups, samples, 1, lambda: steps.append(None))
    assert len(steps) == report["sentences"] == len(samples)
    assert list(report["setups"]) == ["onnx/int8", "onnx/fp32", "torch"]
    for setup in report["setups"].values():
        for part in ("by_length", "by_edits"):
            assert sum(group["sentences"] for group in setup[part].values()) == len(samples)
        assert setup["by_edits"]["0"]["sentences"] >= len(samples) // 2
        assert setup["by_edits"]["2"]["sentences"] >= 1
        assert setup["startup"]["megabytes"] > 0
        assert 0 < setup["typical"]["bound_share"] <= setup["typical"]["bound_share_of_fastest"]
        assert len(setup["points"]) == len(samples)
    json.dumps(report)


def test_without_an_unchanged_sentence_there_is_no_share(tiny_model):
    report = run(str(tiny_model.path), [Setup("onnx", "fp32")], [Pair(*TRAINED[0])], 1)
    assert report["setups"]["onnx/fp32"]["typical"] is None


def test_setups_are_named_and_found(tiny_model):
    assert find_setups(str(tiny_model.path), []) == [Setup("onnx", "int8"), Setup("onnx", "fp32")]
    assert find_setups("anything", ["torch", "onnx/fp32"]) == [Setup("torch"), Setup("onnx", "fp32")]
    with pytest.raises(ConfigError, match="unknown precision 'int4'"):
        Setup.parse("onnx/int4")


@pytest.mark.parametrize(
    ("tokens", "group"), [(1, "1 to 10"), (10, "1 to 10"), (11, "11 to 20"), (50, "31 to 50"), (51, "51 and more")]
)
def test_groups_of_lengths_are_adjacent(tokens, group):
    assert latency._length_group(tokens) == group
