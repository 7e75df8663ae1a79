"""A few passes over made-up batches before the clock starts: they compile what is to be compiled, and show at once
whether that works here."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator

import numpy as np
import torch

from redraft.lab.train.batches import Encoded, Layout, Packer
from redraft.lab.train.config import StageConfig
from redraft.lab.train.loader import Batch, unpack
from redraft.lab.train.objective import Objective
from redraft.tokens.tokenizer import SPECIALS


def rehearse(objective: Objective, layout: Layout, stage: StageConfig, device: torch.device) -> str:
    """Runs every batch size of the stage forward and backward. If compiled code fails, or computes something else than
    plain code does, it is given up. Returns what happened, in words."""
    if objective.compiled == "none":
        return "not compiled"
    started = time.monotonic()
    batches = [_made_up(objective, layout, units, device) for units in sorted({batch.units for batch in stage.batches})]
    try:
        losses = [_loss(objective, batch) for batch in batches]
    except Exception as error:  # whatever a compiler can raise; training goes on without it
        return _give_up(
            objective, f"compilation failed ({type(error).__name__}: {str(error).strip().splitlines()[:1]})"
        )
    compiled = objective.compiled
    with objective.interpreted():
        plain = _loss(objective, batches[0])
    if not abs(losses[0] - plain) < 0.05 * plain:  # dropout differs, so they are close, not equal
        return _give_up(objective, f"compiled code gave a loss of {losses[0]:.3f}, plain code {plain:.3f}")
    return f"compiled ({compiled}) in {time.monotonic() - started:.0f} s"


def _give_up(objective: Objective, why: str) -> str:
    objective.interpret()
    objective.model.zero_grad(set_to_none=True)
    torch._dynamo.reset()
    warnings.warn(f"{why}; training goes on uncompiled", stacklevel=2)
    return f"{why}; not compiled"


def _loss(objective: Objective, batch: Batch) -> float:
    loss = objective(batch)
    torch.autograd.backward(loss)
    objective.model.zero_grad(set_to_none=True)
    return float(loss.detach())


def _made_up(objective: Objective, layout: Layout, units: int, device: torch.device) -> Batch:
    rows = np.zeros((units, layout.size), dtype=np.int32)
    packer = Packer(layout, _random_pairs(objective.model.config.vocabulary, min(30, layout.longest - 1)))
    for row in rows:
        packer.fill(row)
    source, target, labels, weights = unpack(torch.from_numpy(rows).to(device), layout)
    return Batch(source, target, labels, weights, units, 0, 0, 0, {})


def _random_pairs(vocabulary: int, length: int) -> Iterator[Encoded]:
    draw = np.random.default_rng(0)
    while True:
        ids = draw.integers(len(SPECIALS), vocabulary, length).tolist()
        yield Encoded(ids, ids, ())
