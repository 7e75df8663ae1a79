"""Heads are trained on a real model by the command, and the bench measures what they do."""

from __future__ import annotations

import json

import pytest
from random_heads import random_heads
from random_models import needs_native
from tiny import PAIRS
from training_world import make_world

from redraft.engines.native.engine import NativeEngine
from redraft.errors import ConfigError
from redraft.lab.bench import methods
from redraft.lab.bench.detection_ways import open_ways, read_way
from redraft.lab.data.pair import Pair
from redraft.lab.detection import train
from redraft.lab.detection.examples import ExampleSources, read_examples
from redraft.lab.detection.heads import DESCRIPTION, HeadsInfo, read_heads, write_heads
from redraft.lab.detection.states import collect_states
from redraft.lab.export.quantized_weights import export_quantized
from redraft.tokens.tokenizer import Tokenizer

pytestmark = needs_native
WRONG = [source for source, _ in PAIRS]
RIGHT = [target for _, target in PAIRS]


@pytest.fixture(scope="module")
def model(tiny_model, tmp_path_factory):
    """The tiny model with 8-bit weights."""
    return export_quantized(tiny_model, tmp_path_factory.mktemp("models") / "int8")


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("world")
    make_world(folder)
    (folder / "pairs.tsv").write_text("".join(f"{source}\t{target}\n" for source, target in PAIRS * 20))
    return folder


@pytest.fixture(scope="module")
def heads(model, world, tmp_path_factory):
    folder = tmp_path_factory.mktemp("heads")
    files = ["--pairs", world / "pairs.tsv", "--clean", world / "clean.txt", "--table", world / "errors.json.gz"]
    arguments = [model.path, *files, "--output", folder, "--layer", 1, "--pair-count", 120, "--clean-count", 100]
    assert train.main(list(map(str, arguments))) == 0
    return folder


def test_the_command_writes_heads_of_both_kinds_of_labels(model, heads):
    for labels in ("pair", "model"):
        found = read_heads(heads / labels, model.config.width, model.config.encoder_layers)
        assert list(found) == [1, 2]
        described = json.loads((heads / labels / DESCRIPTION).read_text())
        assert (described["labels"], described["model"]) == (labels, "tiny")


def test_labels_are_the_edits_of_the_pair_and_of_the_model(model):
    tokenizer = Tokenizer.load(model.tokenizer)
    pairs = [Pair(*PAIRS[0]), Pair(RIGHT[0], RIGHT[0]), Pair(RIGHT[1], RIGHT[2])]
    states = collect_states(NativeEngine(model, 1), tokenizer, pairs, [1, 2], 0.0)
    assert states.sentence_labels("model").tolist() == [True, False, False]
    assert states.sentence_labels("pair").tolist() == [True, False, True]
    assert states.counts.tolist() == [len(tokenizer.encode(pair.source)) + 1 for pair in pairs]
    assert states.tokens[2].shape == (states.counts.sum(), model.config.width)


def test_examples_depend_on_the_seed_alone(world):
    sources = ExampleSources([world / "pairs.tsv"], [world / "clean.txt"], world / "errors.json.gz", 50, 40, 3)
    examples = read_examples(sources)
    assert examples == read_examples(sources)
    assert len(examples) == 90
    assert sum(pair.source == pair.target for pair in examples) >= 20


def test_ways_correct_like_plain_where_they_stop_nothing(model, heads):
    ways = open_ways(["gate-1-pooled-1", "spans-0", "gate-1-tokens-0"], str(model.path), heads / "model")
    outputs = {name: way.correct([*WRONG, *RIGHT]) for name, way in ways.items()}
    assert outputs["plain"] == [*RIGHT, *RIGHT]
    assert outputs["spans-0"] == outputs["plain"]
    assert outputs["gate-1-tokens-0"] == [*WRONG, *RIGHT]
    assert ways["gate-1-tokens-0"].counted.stopped == 16


def test_cached_gates_write_what_gates_write(model, heads):
    names = [f"gate-{layer}-{measure}-{p}" for layer in (1, 2) for measure in ("tokens", "pooled") for p in (0.3, 0.9)]
    names += ["gate-1-pooled-0.5+gate-2-tokens-0.7", "gate-1-pooled-0.5+spans-0.5"]
    computed, cached = (
        open_ways(names, str(model.path), heads / "model", cached=is_cached) for is_cached in (False, True)
    )
    for name, way in computed.items():
        assert cached[name].correct([*WRONG, *RIGHT]) == way.correct([*WRONG, *RIGHT])
        assert cached[name].counted.stopped == way.counted.stopped


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("gate-1", "not a known way to correct"),
        ("gate-1-mean-0.5", "not a known way to correct"),
        ("spans-0.1+spans-0.2", "not a known way to correct"),
        ("gate-7-tokens-0.5", "no heads for layer 7"),
        ("gate-1-tokens-2", "'2' is not a probability"),
        ("spans-many", "'many' is not a probability"),
    ],
)
def test_names_that_are_no_ways(name, message):
    with pytest.raises(ConfigError, match=message):
        read_way(name, {1: random_heads(1, 8), 2: random_heads(2, 8)}, 2)


def test_the_bench_reports_quality_and_time(model, heads, tmp_path, capsys):
    blocks = [f"S {wrong}\nA 1 2|||R:VERB|||{right.split()[1]}|||REQUIRED|||-NONE-|||0\n" for wrong, right in PAIRS]
    blocks += [f"S {right}\n" for right in RIGHT]
    (tmp_path / "dev.m2").write_text("\n".join(blocks) + "\n")
    (tmp_path / "clean.txt").write_text("\n".join(RIGHT) + "\n")
    options = ["--model", model.path, "--way", "spans-0", "--way", "gate-2-pooled-0.5", "--json", "--timed", 8]
    files = ["--m2", tmp_path / "dev.m2", "--correct", tmp_path / "clean.txt", "--mix", tmp_path / "dev.m2"]
    files += ["--show", tmp_path / "clean.txt"]
    assert methods.main(list(map(str, ["--heads", heads / "model", *options, *files]))) == 0
    report = json.loads(capsys.readouterr().out)
    assert list(report["quality"]) == ["plain", "spans-0", "gate-2-pooled-0.5"]
    assert report["quality"]["plain"]["correct_changed"] == "0.00%"
    assert report["quality"]["spans-0"]["other_output_than_plain"] == "0.00%"
    assert report["answers"][RIGHT[0]] == dict.fromkeys(report["quality"], RIGHT[0])
    assert list(report["time"]) == ["5% wrong", "30% wrong", "70% wrong"]
    assert report["time"]["30% wrong"]["plain"]["passes_without_decoder"] == "0.0%"
    assert 1 < report["time"]["70% wrong"]["plain"]["passes_a_sentence"] < 2


def test_files_that_cannot_be_used_give_one_line(model, heads, tmp_path, capsys):
    write_heads(tmp_path / "other", [random_heads(1, 8)], HeadsInfo("other", 8, "model", 1))
    (tmp_path / "empty.m2").write_text("")
    (tmp_path / "dev.m2").write_text(f"S {WRONG[0]}\n")
    for arguments in (
        ["--heads", tmp_path / "other", "--model", model.path],
        ["--heads", tmp_path / "other", "--model", model.path, "--mix", tmp_path / "dev.m2"],
        ["--heads", heads / "model", "--model", model.path, "--m2", tmp_path / "empty.m2"],
        ["--model", model.path, "--way", "spans-0", "--mix", tmp_path / "dev.m2"],
        ["--model", model.path, "--tagger", tmp_path, "--mix", tmp_path / "dev.m2"],
    ):
        assert methods.main(list(map(str, arguments))) == 2
        assert capsys.readouterr().err.count("\n") == 1
