from __future__ import annotations

import math

import pytest
import torch

from redraft.lab.train.averaging import EVERY
from redraft.lab.train.checkpoint import Checkpoint, Position
from redraft.lab.train.config import RunConfig, StageConfig
from redraft.lab.train.learner import Learner
from redraft.lab.train.weights import Weights
from redraft.model.config import preset
from redraft.model.transformer import Transformer

STAGE = StageConfig("x", {"a": 1.0}, steps=1, clip=0.5, ema=0.9)


@pytest.fixture
def learner() -> Learner:
    return Learner(Weights(Transformer(preset("tiny")), torch.float32), STAGE, RunConfig())


def move(learner: Learner, value: float, step: int = EVERY):
    learner.weights.gradient.fill_(value)
    return learner.move(0.1, step)


def test_a_long_gradient_is_shortened_and_a_step_reaches_the_network(learner):
    before = learner.weights.model.embedding.weight.clone()
    clipped = move(learner, 3.0)
    assert float(clipped.norm) > STAGE.clip and not clipped.bad
    assert float(learner.weights.gradient.norm()) == pytest.approx(STAGE.clip, rel=1e-3)
    assert not torch.equal(learner.weights.model.embedding.weight, before)


def test_a_gradient_that_is_not_finite_moves_nothing(learner):
    learner.weights.gradient[3] = math.inf
    before = learner.weights.row[: learner.weights.matrices].clone()
    clipped = learner.move(0.0, EVERY)
    assert clipped.bad and float(clipped.norm) == 0.0
    assert torch.equal(learner.weights.row[: learner.weights.matrices], before)


def test_going_back_undoes_everything_since_all_was_well(learner):
    start = learner.weights.row.clone()
    move(learner, math.nan)
    move(learner, 1.0)
    learner.go_back()
    assert torch.equal(learner.weights.row, start)
    move(learner, 1.0)
    learner.remember()
    good = {name: tensor.clone() for name, tensor in learner.tensors().items() if not name.endswith("step")}
    for _ in range(3):
        move(learner, -2.0)
    learner.go_back()
    found = learner.tensors()
    assert all(torch.equal(found[name], tensor) for name, tensor in good.items())


def test_a_saved_learner_goes_on_alike(learner):
    move(learner, 1.0)
    saved = Checkpoint(
        Position(average_updates=learner.average.updates if learner.average else 0),
        {name: tensor.clone() for name, tensor in learner.tensors().items()},
    )
    weights = Weights(Transformer(preset("tiny")), torch.float32)
    weights.load(saved.part("weights"))
    other = Learner(weights, STAGE, RunConfig(), saved)
    for each in (learner, other):
        move(each, -0.7)
    assert all(torch.equal(tensor, other.tensors()[name]) for name, tensor in learner.tensors().items())
