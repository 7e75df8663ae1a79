"""Compiles the network before a stage starts, on random batches, and checks that the compiled code is right."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator

import numpy as np
import torch

from redraft.lab.train.config import StageConfig
from redraft.lab.train.loader import Batch, unpack
from redraft.lab.train.loss import LossFunction
from redraft.lab.train.packing import DrawnPair, Layout, Packer
from redraft.tokens.tokenizer import SPECIALS


def check_compilation(loss_function: LossFunction, layout: Layout, stage: StageConfig, device: torch.device) -> str:
    """Runs every batch size of the stage forward and backward. If compiled code fails, or its loss differs from that of
    uncompiled code, compilation is disabled. Returns what happened, for the log."""
    if loss_function.compiled == "none":
        return "not compiled"
    started = time.monotonic()
    sizes = sorted({batch.packs for batch in stage.batches})
    batches = [_random_batch(loss_function, layout, packs, device) for packs in sizes]
    try:
        losses = [_loss(loss_function, batch) for batch in batches]
    except Exception as error:  # a compiler can raise anything; training goes on without it
        reason = str(error).strip().splitlines()[:1]
        return _disable(loss_function, f"compilation failed ({type(error).__name__}: {reason})")
    compiled = loss_function.compiled
    with loss_function.uncompiled():
        plain = _loss(loss_function, batches[0])
    if not abs(losses[0] - plain) < 0.05 * plain:  # dropout differs, so they are close, not equal
        return _disable(loss_function, f"compiled code gave a loss of {losses[0]:.3f}, plain code {plain:.3f}")
    return f"compiled ({compiled}) in {time.monotonic() - started:.0f} s"


def _disable(loss_function: LossFunction, why: str) -> str:
    loss_function.disable_compilation()
    loss_function.model.zero_grad(set_to_none=True)
    torch._dynamo.reset()
    warnings.warn(f"{why}; training goes on uncompiled", stacklevel=2)
    return f"{why}; not compiled"


def _loss(loss_function: LossFunction, batch: Batch) -> float:
    loss = loss_function(batch)
    torch.autograd.backward(loss)
    loss_function.model.zero_grad(set_to_none=True)
    return float(loss.detach())


def _random_batch(loss_function: LossFunction, layout: Layout, packs: int, device: torch.device) -> Batch:
    rows = np.zeros((packs, layout.size), dtype=np.int32)
    vocabulary, length = loss_function.model.config.vocabulary, min(30, layout.max_length - 1)
    packer = Packer(layout, _random_pairs(vocabulary, loss_function.classes, length))
    for row in rows:
        packer.fill(row)
    source, target, labels, weights = unpack(torch.from_numpy(rows).to(device), layout)
    return Batch(source, target, labels, weights, packs, 0, 0, 0, {})


def _random_pairs(vocabulary: int, classes: int, length: int) -> Iterator[DrawnPair]:
    draw = np.random.default_rng(0)
    while True:
        ids = draw.integers(len(SPECIALS), vocabulary, length).tolist()
        labels = draw.integers(0, classes, length + 1).tolist()
        yield DrawnPair(ids, ids, labels=labels, weights=[1.0] * (length + 1))
