"""The linear layer of a tagger is trained on an encoder that stays as it is."""

from __future__ import annotations

import numpy as np
import pytest
from random_models import needs_native
from training_world import sentences

from redraft.engines.native.engine import NativeEngine
from redraft.lab.data.pair import Pair
from redraft.lab.tagger.correcting import Tagger
from redraft.lab.tagger.frozen import collect_states, main
from redraft.tokens.tokenizer import Tokenizer

pytestmark = needs_native


@pytest.fixture(scope="module")
def parts(quantized, vocabulary):
    encoder = quantized.encoder
    return NativeEngine(encoder, 1), Tokenizer.load(encoder.tokenizer, encoder.config.vocabulary), vocabulary


def test_the_layer_learns_to_correct_on_the_encoder_of_another_model(quantized, world, tmp_path, capsys):
    clean = tmp_path / "clean.txt"
    clean.write_text("".join(f"{line}\n" for line in sentences(50, seed=3)), encoding="utf-8")
    arguments = [quantized.path / "encoder", "--tags", world / "tags.json", "--pairs", world / "pairs.tsv"]
    arguments += ["--clean", clean, "--epochs", "60", "--threads", "1", "--output", tmp_path / "frozen"]
    assert main(list(map(str, arguments))) == 0
    assert str(tmp_path / "frozen" / "int8") in capsys.readouterr().out
    right = [line for line in sentences(30, seed=7) if " the " in line][:5]
    tagger = Tagger.open(tmp_path / "frozen" / "int8", 1)
    assert tagger.correct_lines([line.replace(" the ", " teh ") for line in right]) == right


def test_words_that_change_are_all_there_and_others_weigh_more(parts):
    pairs = [Pair("teh cat sat on the mat", "the cat sat on the mat")] * 200
    engine, tokenizer, vocabulary = parts
    everything = collect_states(engine, tokenizer, vocabulary, pairs, 1.0)
    some = collect_states(engine, tokenizer, vocabulary, pairs, 0.25)
    assert (some.labels != 0).sum() == (everything.labels != 0).sum() > 0
    assert 0 < (some.labels == 0).sum() < (everything.labels == 0).sum() / 2
    assert set(np.unique(some.weights)) == {1.0, 4.0}
    assert len(some.states) == len(some.labels) == len(some.weights)


def test_files_without_pairs_are_an_error(quantized, world, tmp_path, capsys):
    empty = tmp_path / "empty.tsv"
    empty.write_text("", encoding="utf-8")
    arguments = [
        quantized.path / "encoder",
        "--tags",
        world / "tags.json",
        "--pairs",
        empty,
        "--output",
        tmp_path / "x",
    ]
    assert main(list(map(str, arguments))) == 2
    assert "no pairs" in capsys.readouterr().err
