from __future__ import annotations

import math

import pytest
import torch

from redraft.lab.train.averaging import EVERY
from redraft.lab.train.checkpoint import Checkpoint, Position
from redraft.lab.train.config import RunConfig, StageConfig
from redraft.lab.train.optimizer import Optimizer
from redraft.lab.train.weights import MasterWeights
from redraft.model.config import preset
from redraft.model.transformer import Transformer

STAGE = StageConfig("x", {"a": 1.0}, steps=1, clip_norm=0.5, ema=0.9)


@pytest.fixture
def optimizer() -> Optimizer:
    return Optimizer(MasterWeights(Transformer(preset("tiny")), torch.float32), STAGE, RunConfig())


def move(optimizer: Optimizer, value: float, step: int = EVERY):
    optimizer.weights.gradient.fill_(value)
    return optimizer.step(0.1, step)


def test_a_long_gradient_is_clipped_and_a_step_changes_the_network(optimizer):
    before = optimizer.weights.model.embedding.weight.clone()
    gradient = move(optimizer, 3.0)
    assert float(gradient.norm) > STAGE.clip_norm and not gradient.not_finite
    assert float(optimizer.weights.gradient.norm()) == pytest.approx(STAGE.clip_norm, rel=1e-3)
    assert not torch.equal(optimizer.weights.model.embedding.weight, before)


def test_a_gradient_that_is_not_finite_moves_nothing(optimizer):
    optimizer.weights.gradient[3] = math.inf
    before = optimizer.weights.flat.clone()
    gradient = optimizer.step(0.0, EVERY)
    assert gradient.not_finite and float(gradient.norm) == 0.0
    assert torch.equal(optimizer.weights.flat, before)


def test_a_rollback_returns_to_the_last_snapshot(optimizer):
    start = optimizer.weights.flat.clone()
    move(optimizer, math.nan)
    move(optimizer, 1.0)
    optimizer.roll_back()
    assert torch.equal(optimizer.weights.flat, start)
    move(optimizer, 1.0)
    optimizer.take_snapshot()
    good = {name: tensor.clone() for name, tensor in optimizer.tensors().items() if not name.endswith("step")}
    for _ in range(3):
        move(optimizer, -2.0)
    optimizer.roll_back()
    found = optimizer.tensors()
    assert all(torch.equal(found[name], tensor) for name, tensor in good.items())


def test_a_restored_optimizer_makes_the_same_steps(optimizer):
    move(optimizer, 1.0)
    saved = Checkpoint(
        Position(average_updates=optimizer.average.updates if optimizer.average else 0),
        {name: tensor.clone() for name, tensor in optimizer.tensors().items()},
    )
    weights = MasterWeights(Transformer(preset("tiny")), torch.float32)
    weights.load(saved.part("weights"))
    other = Optimizer(weights, STAGE, RunConfig(), saved)
    for each in (optimizer, other):
        move(each, -0.7)
    assert all(torch.equal(tensor, other.tensors()[name]) for name, tensor in optimizer.tensors().items())
