from __future__ import annotations

import pytest
import torch

from redraft.lab.train.weights import MasterWeights
from redraft.model.config import preset
from redraft.model.transformer import Transformer


def test_the_row_holds_every_weight_once_by_name():
    model = Transformer(preset("tiny"))
    before = {name: tensor.clone() for name, tensor in model.weights().items()}
    weights = MasterWeights(model, torch.bfloat16)
    assert weights.flat.dtype == torch.float32 and model.embedding.weight.dtype == torch.bfloat16
    assert weights.named().keys() == before.keys()
    assert all(torch.equal(weights.named()[name], tensor) for name, tensor in before.items())


def test_the_optimizer_moves_the_row_and_the_network_follows():
    model = Transformer(preset("tiny"))
    weights = MasterWeights(model, torch.float32)
    optimizer = torch.optim.AdamW(weights.parameter_groups(0.1), lr=0.1)
    start = weights.flat.clone()
    model.embedding.weight.grad = torch.ones_like(model.embedding.weight)
    weights.collect_gradients(first=True, scale=0.5)
    assert torch.equal(
        weights.named(weights.gradient)["embedding.weight"], torch.full_like(model.embedding.weight, 0.5)
    )
    assert model.embedding.weight.grad is None
    optimizer.step()
    weights.copy_to_model()
    assert not torch.equal(weights.flat, start)
    assert torch.equal(model.embedding.weight, weights.named()["embedding.weight"])


def test_gradients_add_up():
    model = Transformer(preset("tiny"))
    weights = MasterWeights(model, torch.bfloat16)
    for first in (True, False):
        for parameter in model.parameters():
            parameter.grad = torch.ones_like(parameter)
        weights.collect_gradients(first, scale=0.5)
    assert torch.equal(weights.gradient, torch.ones_like(weights.gradient))


def test_vectors_do_not_decay():
    weights = MasterWeights(Transformer(preset("tiny")), torch.float32)
    matrices, vectors = weights.parameter_groups(0.1)
    assert (matrices["weight_decay"], vectors["weight_decay"]) == (0.1, 0.0)
    named = weights.named()
    biases = sum(tensor.numel() for tensor in named.values() if tensor.dim() == 1)
    assert vectors["params"][0].numel() == biases  # type: ignore[index]


@pytest.mark.parametrize("layers", [True, False])
def test_frozen_weights_are_left_out_of_the_optimizer(layers):
    model = Transformer(preset("tiny"))
    weights = MasterWeights(model, torch.float32)
    everything = weights.layer_matrices
    weights.freeze(["encoder"])
    optimizer = torch.optim.AdamW(weights.parameter_groups(0.1, layers), lr=0.1)
    before = {name: tensor.clone() for name, tensor in weights.named().items()}
    weights.gradient.fill_(1.0)
    optimizer.step()
    moved = {name for name, tensor in weights.named().items() if not torch.equal(tensor, before[name])}
    by_muon = set() if layers else set(weights.layer_matrices)
    assert moved == {name for name in before if not name.startswith("encoder.")} - by_muon
    assert set(weights.layer_matrices) < set(everything)
    assert not any(parameter.requires_grad for parameter in model.encoder.parameters())
    weights.freeze([])
    assert weights.layer_matrices == everything and all(one.requires_grad for one in model.parameters())
