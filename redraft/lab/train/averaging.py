"""Averages of weights: running, while training goes on, and of checkpoints afterwards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from redraft.errors import InputError

EVERY = 8
"""Steps between two updates of the running average; the decay is compounded, so that the result hardly differs."""


class RunningAverage:
    """An exponential moving average. In its youth it forgets faster, or it would remember the random start."""

    def __init__(self, row: Tensor, decay: float, updates: int = 0) -> None:
        self.row = row.clone()
        self.updates = updates
        self._decay = decay**EVERY

    def update(self, row: Tensor) -> None:
        self.updates += 1
        decay = min(self._decay, (1 + self.updates) / (10 + self.updates))
        self.row.lerp_(row, 1 - decay)


def average(checkpoints: Sequence[Mapping[str, Tensor]]) -> dict[str, Tensor]:
    """The mean of each tensor; all checkpoints must be of one shape."""
    if not checkpoints:
        raise InputError("there is nothing to average")
    first = checkpoints[0]
    for other in checkpoints[1:]:
        different = {name for name in {*first, *other} if name not in first or name not in other}
        different |= {name for name in {*first} & {*other} if first[name].shape != other[name].shape}
        if different:
            raise InputError(f"the checkpoints are of different shapes: see {sorted(different)[0]}")
    return {name: torch.stack([each[name].float() for each in checkpoints]).mean(0) for name in first}
