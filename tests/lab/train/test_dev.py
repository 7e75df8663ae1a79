from __future__ import annotations

from pathlib import Path

import pytest
import torch

from redraft.lab.train.config import DevConfig
from redraft.lab.train.dev import SHIFTS, Examiner
from redraft.lab.train.weights import Weights
from redraft.model.config import preset
from redraft.model.transformer import Transformer
from redraft.tokens.tokenizer import Tokenizer

M2 = """S The cat sit on the mat .
A 2 3|||R:VERB:SVA|||sits|||REQUIRED|||-NONE-|||0

S Fine .

"""


@pytest.fixture
def examiner(world: Path, tmp_path: Path) -> tuple[Examiner, Weights]:
    (tmp_path / "some.m2").write_text(M2, encoding="utf-8")
    tokenizer = Tokenizer.load(world / "tokenizer.json")
    model = Transformer(preset("tiny", vocabulary=tokenizer.size))
    config = DevConfig(m2=("some.m2",), probe=5)
    return Examiner(config, tokenizer, model, tmp_path), Weights(model, torch.float32)


def test_every_figure_is_a_share(examiner):
    score = examiner[0].examine(examiner[1])
    assert 0 <= score.f <= 1 and 0 <= score.spoiled <= 1
    assert set(score.shifts) == set(SHIFTS) and all(0 <= share <= 1 for share in score.shifts.values())
    assert score.facts()["some.f"] == round(score.files["some"].f, 4)


def test_a_model_that_changes_nothing_is_precise_and_finds_nothing(examiner, monkeypatch):
    monkeypatch.setattr(Examiner, "greedy_batch", lambda self, sentences: list(sentences))
    score = examiner[0].examine(examiner[1])
    assert (score.files["some"].precision, score.files["some"].recall, score.spoiled) == (1.0, 0.0, 0.0)


def test_a_model_that_corrects_everything_scores_one(examiner, monkeypatch):
    monkeypatch.setattr(
        Examiner, "greedy_batch", lambda self, sentences: [sentence.replace("sit ", "sits ") for sentence in sentences]
    )
    assert examiner[0].examine(examiner[1]).files["some"].f == 1.0


def test_the_weights_examined_are_those_given(examiner):
    examined, weights = examiner
    other = torch.zeros_like(weights.row)
    examined.examine(weights, other)
    assert not any(parameter.any() for parameter in examined._model.parameters())


def test_a_sentence_too_long_for_the_model_comes_back_as_it_was(examiner):
    long = "cat " * 400 + "."
    assert examiner[0].greedy_batch([long, ""]) == [long, ""]


def test_characters_are_scored_as_characters(tmp_path, monkeypatch):
    (tmp_path / "zh.m2").write_text("S 他 高 兴 的 笑\nA 3 4|||S|||地|||REQUIRED|||-NONE-|||0\n\n", encoding="utf-8")
    tokenizer = Tokenizer.train_characters(["他高兴地的笑"], 300)
    model = Transformer(preset("tiny", vocabulary=tokenizer.size))
    examiner = Examiner(DevConfig(m2=("zh.m2",), probe=0), tokenizer, model, tmp_path)
    seen = []

    def correct(self, sentences):
        seen.extend(sentences)
        return [sentence.replace("的", "地") for sentence in sentences]

    monkeypatch.setattr(Examiner, "greedy_batch", correct)
    assert examiner.examine(Weights(model, torch.float32)).files["zh"].f == 1.0
    assert seen == ["他高兴的笑"]
