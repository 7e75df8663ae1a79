from __future__ import annotations

from itertools import cycle

import numpy as np
import torch
import torch.nn.functional as F

from redraft.lab.train.loader import Batch, unpack
from redraft.lab.train.loss import ChunkedLoss, LossFunction, mean_loss, token_losses
from redraft.lab.train.packing import DrawnPair, Layout, Packer
from redraft.model.config import preset
from redraft.model.transformer import Transformer

PAIRS = [([5, 6, 7], [5, 7]), ([9], [9, 10, 11]), ([20, 21, 22], [20, 21, 22])]


def packed(layout: Layout, packs: int) -> Batch:
    rows = np.zeros((packs, layout.size), dtype=np.int32)
    packer = Packer(layout, (DrawnPair(*pair, (1,)) for pair in cycle(PAIRS)))
    for row in rows:
        assert packer.fill(row).pairs == len(PAIRS)
    return Batch(*unpack(torch.from_numpy(rows), layout), packs, 0, 0, 0, {})


def test_the_loss_is_that_of_torch():
    torch.manual_seed(0)
    logits, labels = torch.randn(10, 30), torch.randint(0, 30, (10,))
    for smoothing in (0.0, 0.1):
        expected = F.cross_entropy(logits, labels, reduction="none", label_smoothing=smoothing)
        torch.testing.assert_close(token_losses(logits, labels, smoothing), expected)


def test_a_token_with_weight_zero_does_not_change_the_loss():
    logits, labels, weights = torch.randn(4, 9), torch.tensor([1, 2, 3, 0]), torch.tensor([1.0, 2.0, 1.0, 0.0])
    loss = mean_loss(logits, labels, weights, 0.1)
    logits[3] = 100.0
    torch.testing.assert_close(mean_loss(logits, labels, weights, 0.1), loss)


def test_the_loss_in_chunks_and_its_gradient_are_those_of_all_rows_at_once():
    torch.manual_seed(0)
    count = 2 * ChunkedLoss.ROWS + 5
    labels, weights = torch.randint(0, 30, (count,)), torch.rand(count)
    for smoothing in (0.0, 0.1):
        whole = torch.randn(count, 30).mul(3).requires_grad_()
        chunked = whole.detach().clone().requires_grad_()
        expected = mean_loss(whole, labels, weights, smoothing)
        found = ChunkedLoss.apply(chunked, labels, weights, smoothing)
        torch.testing.assert_close(found, expected)
        (expected * 7).backward()
        (found * 7).backward()
        torch.testing.assert_close(chunked.grad, whole.grad)


def test_a_packed_batch_gives_the_loss_of_its_sentences_alone():
    """Sentences in one row must not see each other, nor the padding."""
    model = Transformer(preset("tiny")).eval()
    batch = packed(Layout(16, 8), 3)
    logits = model.logits(model(batch.source, batch.target))
    total, tokens = 0.0, 0
    for source, target in PAIRS:
        memory = model.encode(torch.tensor([[*source, 2]]), torch.tensor([len(source) + 1]))
        fed = torch.tensor([[1, *target]])
        alone = model.decode(fed, torch.arange(fed.shape[1])[None], memory, model.new_cache(1, fed.shape[1]))[0]
        total += float(token_losses(alone, torch.tensor([*target, 2]), 0.1).sum().detach())
        tokens += len(target) + 1
    found = float(mean_loss(logits, batch.labels, batch.weights, 0.1).detach())
    assert abs(found - total / tokens) < 1e-4


def test_compilation_can_be_switched_off_for_a_while():
    loss_function = LossFunction(Transformer(preset("tiny")), 0.1, "layers")
    with loss_function.uncompiled():
        assert loss_function.compiled == "none"
        assert all(layer._compiled_call_impl is None for layer in loss_function.model.encoder.layers)
    assert loss_function.compiled == "layers"
    assert all(layer._compiled_call_impl is not None for layer in loss_function.model.encoder.layers)
