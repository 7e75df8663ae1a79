"""Averages of weights: a moving average during training, and the mean of checkpoints afterwards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from redraft.errors import InputError

EVERY = 8
"""Steps between two updates of the moving average. The decay is compounded, so the result is nearly the same."""


class MovingAverage:
    """An exponential moving average of the weights. The decay is lower at first, so that the random start is forgotten
    soon."""

    def __init__(self, flat: Tensor, decay: float, updates: int = 0) -> None:
        self.flat = flat.clone()
        self.updates = updates
        self._decay = decay**EVERY

    def update(self, flat: Tensor) -> None:
        self.updates += 1
        decay = min(self._decay, (1 + self.updates) / (10 + self.updates))
        self.flat.lerp_(flat, 1 - decay)


def average(checkpoints: Sequence[Mapping[str, Tensor]]) -> dict[str, Tensor]:
    """The mean of each tensor. All checkpoints must have the same tensors and shapes."""
    if not checkpoints:
        raise InputError("there is nothing to average")
    first = checkpoints[0]
    for other in checkpoints[1:]:
        different = {name for name in {*first, *other} if name not in first or name not in other}
        different |= {name for name in {*first} & {*other} if first[name].shape != other[name].shape}
        if different:
            raise InputError(f"the checkpoints are of different shapes: see the tensor {sorted(different)[0]}")
    return {name: torch.stack([each[name].float() for each in checkpoints]).mean(0) for name in first}
