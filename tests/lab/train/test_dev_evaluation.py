from __future__ import annotations

from pathlib import Path

import pytest
import torch

from redraft.lab.train.config import DevConfig
from redraft.lab.train.dev_evaluation import SHIFTS, DevEvaluator
from redraft.lab.train.weights import MasterWeights
from redraft.model.config import preset
from redraft.model.transformer import Transformer
from redraft.tokens.tokenizer import Tokenizer

M2 = """S The cat sit on the mat .
A 2 3|||R:VERB:SVA|||sits|||REQUIRED|||-NONE-|||0

S Fine .

"""


@pytest.fixture
def evaluator(world: Path, tmp_path: Path) -> tuple[DevEvaluator, MasterWeights]:
    (tmp_path / "some.m2").write_text(M2, encoding="utf-8")
    tokenizer = Tokenizer.load(world / "tokenizer.json")
    model = Transformer(preset("tiny", vocabulary=tokenizer.size))
    config = DevConfig(m2=("some.m2",), correct_sentences=5)
    return DevEvaluator(config, tokenizer, model, tmp_path), MasterWeights(model, torch.float32)


def test_every_figure_is_a_share(evaluator):
    score = evaluator[0].evaluate(evaluator[1])
    assert 0 <= score.f <= 1 and 0 <= score.overcorrected <= 1
    assert set(score.shifts) == set(SHIFTS) and all(0 <= share <= 1 for share in score.shifts.values())
    assert score.figures()["some.f"] == round(score.files["some"].f, 4)


def test_a_model_that_changes_nothing_is_precise_and_finds_nothing(evaluator, monkeypatch):
    monkeypatch.setattr(DevEvaluator, "decode", lambda self, sentences: list(sentences))
    score = evaluator[0].evaluate(evaluator[1])
    assert (score.files["some"].precision, score.files["some"].recall, score.overcorrected) == (1.0, 0.0, 0.0)


def test_a_model_that_corrects_everything_scores_one(evaluator, monkeypatch):
    monkeypatch.setattr(
        DevEvaluator, "decode", lambda self, sentences: [sentence.replace("sit ", "sits ") for sentence in sentences]
    )
    assert evaluator[0].evaluate(evaluator[1]).files["some"].f == 1.0


def test_the_weights_examined_are_those_given(evaluator):
    examined, weights = evaluator
    other = torch.zeros_like(weights.flat)
    examined.evaluate(weights, other)
    assert not any(parameter.any() for parameter in examined._model.parameters())


def test_a_sentence_too_long_for_the_model_comes_back_as_it_was(evaluator):
    long = "cat " * 400 + "."
    assert evaluator[0].decode([long, ""]) == [long, ""]


def test_characters_are_scored_as_characters(tmp_path, monkeypatch):
    (tmp_path / "zh.m2").write_text("S 他 高 兴 的 笑\nA 3 4|||S|||地|||REQUIRED|||-NONE-|||0\n\n", encoding="utf-8")
    tokenizer = Tokenizer.train_characters(["他高兴地的笑"], 300)
    model = Transformer(preset("tiny", vocabulary=tokenizer.size))
    evaluator = DevEvaluator(DevConfig(m2=("zh.m2",), correct_sentences=0), tokenizer, model, tmp_path)
    seen = []

    def correct(self, sentences):
        seen.extend(sentences)
        return [sentence.replace("的", "地") for sentence in sentences]

    monkeypatch.setattr(DevEvaluator, "decode", correct)
    assert evaluator.evaluate(MasterWeights(model, torch.float32)).files["zh"].f == 1.0
    assert seen == ["他高兴的笑"]
