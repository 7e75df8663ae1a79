from __future__ import annotations

import pytest
import torch

from redraft.lab.train.checkpoint import Checkpoint, Position
from redraft.lab.train.config import RunConfig, StageConfig
from redraft.lab.train.muon import UPDATE_SIZE, Muon, orthogonalize
from redraft.lab.train.optimizer import Optimizer
from redraft.lab.train.weights import MasterWeights
from redraft.model.config import preset
from redraft.model.transformer import Transformer

STAGE = StageConfig("x", {"a": 1.0}, steps=1, optimizer="muon", ema=0.0)


def new_optimizer(saved: Checkpoint | None = None) -> Optimizer:
    torch.manual_seed(1)
    weights = MasterWeights(Transformer(preset("tiny")), torch.float32)
    if saved is not None:
        weights.load(saved.part("weights"))
    return Optimizer(weights, STAGE, RunConfig(), saved)


def move(optimizer: Optimizer, seed: int) -> None:
    optimizer.weights.gradient.normal_(generator=torch.Generator().manual_seed(seed))
    optimizer.step(0.01, 1)


@pytest.mark.parametrize(("precision", "tolerance"), [(torch.float32, 1e-3), (torch.bfloat16, 0.15)])
@pytest.mark.parametrize("shape", [(3, 8, 20), (2, 20, 8), (1, 16, 16)])
def test_singular_values_become_about_one_and_their_vectors_stay(shape, precision, tolerance):
    matrices = torch.randn(shape, generator=torch.Generator().manual_seed(0))
    found = orthogonalize(matrices.to(precision)).float()
    assert found.shape == matrices.shape
    u, _, v = torch.linalg.svd(matrices, full_matrices=False)
    values = u.mT @ found @ v.mT
    diagonal = torch.diagonal(values, dim1=1, dim2=2)
    assert float(diagonal.min()) > 0.6 and float(diagonal.max()) < 1.3
    assert float((values - torch.diag_embed(diagonal)).abs().max()) < tolerance


def test_a_zero_gradient_moves_nothing():
    matrix = torch.ones(4, 6)
    Muon({"a.out.weight": matrix}, {"a.out.weight": torch.zeros(4, 6)}, 0.0).step(0.1)
    assert torch.equal(matrix, torch.ones(4, 6))


def test_an_update_has_the_size_that_the_rate_says_whatever_the_gradient():
    for scale in (1e-6, 1.0, 1e3):
        matrix = torch.zeros(32, 32)
        gradient = scale * torch.randn(32, 32, generator=torch.Generator().manual_seed(0))
        Muon({"a.out.weight": matrix}, {"a.out.weight": gradient}, 0.0).step(0.01)
        assert float(matrix.square().mean().sqrt()) == pytest.approx(0.01 * UPDATE_SIZE, rel=0.3)
        assert float((matrix * gradient).sum()) < 0


def test_stacked_maps_are_moved_as_if_each_were_a_matrix():
    gradient = torch.randn(24, 8, generator=torch.Generator().manual_seed(0))
    together, alone = torch.zeros(24, 8), torch.zeros(8, 8)
    Muon({"a.qkv.weight": together}, {"a.qkv.weight": gradient}, 0.0).step(0.1)
    Muon({"a.out.weight": alone}, {"a.out.weight": gradient[8:16]}, 0.0).step(0.1)
    torch.testing.assert_close(together[8:16], alone)


def test_matrices_of_layers_move_by_muon_and_the_rest_by_adam():
    by_muon, by_adam = new_optimizer(), new_optimizer()
    by_adam = Optimizer(by_adam.weights, StageConfig("x", {"a": 1.0}, steps=1, ema=0.0), RunConfig())
    move(by_muon, 3)
    move(by_adam, 3)
    found, expected = by_muon.weights.named(), by_adam.weights.named()
    layers = set(by_muon.weights.layer_matrices)
    assert layers == {name for name, shape in by_muon.weights.shapes.items() if "layers." in name and len(shape) == 2}
    assert layers == {name for name in found if not torch.equal(found[name], expected[name])}


def test_a_restored_optimizer_makes_the_same_steps():
    optimizer = new_optimizer()
    move(optimizer, 1)
    saved = Checkpoint(Position(), {name: tensor.clone() for name, tensor in optimizer.tensors().items()})
    other = new_optimizer(saved)
    for each in (optimizer, other):
        move(each, 2)
    assert all(torch.equal(tensor, other.tensors()[name]) for name, tensor in optimizer.tensors().items())


def test_a_rollback_takes_the_momentum_back():
    optimizer = new_optimizer()
    move(optimizer, 1)
    optimizer.take_snapshot()
    kept = {name: tensor.clone() for name, tensor in optimizer.tensors().items() if not name.endswith("step")}
    move(optimizer, 2)
    optimizer.roll_back()
    assert all(torch.equal(tensor, optimizer.tensors()[name]) for name, tensor in kept.items())
