"""Other libraries run the same network, and write the forced output."""

from __future__ import annotations

import pytest
from tiny import PAIRS

from redraft.lab.bench import peers
from redraft.lab.bench.samples import Pair

pytest.importorskip("transformers", reason="transformers, which the extra [bench] names, is missing")
pytest.importorskip("ctranslate2", reason="ctranslate2, which the extra [bench] names, is missing")


@pytest.fixture(scope="module")
def report(tiny_model):
    return peers.run(str(tiny_model.path), [Pair(*pair) for pair in PAIRS[:3]], 1)


def test_it_is_the_same_network_everywhere(report):
    difference = report["log_probability_difference"]
    assert difference["redraft"]["largest"] == 0
    assert difference["transformers"]["largest"] < 0.001
    assert difference["ctranslate2"]["mean"] < 0.5  # 8-bit integers
    assert difference["ctranslate2"]["mean"] > difference["transformers"]["mean"]


def test_every_library_is_timed_on_every_sentence(report):
    assert report["sentences"] == 3
    methods = report["methods"]
    assert {name.split()[0] for name in methods} == {"redraft", "transformers", "ctranslate2"}
    assert all(figures["sentences"] == 3 for figures in methods.values())
    assert report["relative_time"][peers.BASELINE] == report["relative_processor_time"][peers.BASELINE] == 1


def test_calls_are_those_of_the_trained_model(report):
    calls = {name: figures["calls"] for name, figures in report["methods"].items()}
    greedy = calls["redraft int8 greedy"]
    assert max(calls["redraft int8 refine"], calls["redraft int8 suffix"]) < greedy
    everyone = ("redraft int8 beam 5", "transformers greedy", "transformers beam 5", "ctranslate2 int8 greedy")
    assert {calls[name] for name in everyone} == {greedy}
