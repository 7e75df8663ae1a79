"""Muon: momentum whose update is made orthogonal, for the matrices of the layers.

Jordan and others, "Muon: an optimizer for hidden layers in neural networks" (2024). Every singular value of an update
becomes about 1, so directions that are rare in the gradient move as far as frequent ones. The update is scaled to the
usual size of Adam's (Liu and others, "Muon is scalable for LLM training", 2025), so one learning rate serves for both.
"""

from __future__ import annotations

import torch
from torch import Tensor

MOMENTUM = 0.95
UPDATE_SIZE = 0.2
"""Root mean square of an update at a learning rate of 1."""
_ITERATIONS = 5
_COEFFICIENTS = (3.4445, -4.7750, 2.0315)
"""Of the quintic polynomial that brings singular values between 0 and 1 near 1: between about 0.7 and 1.2."""
_STACKED = {"qkv": 3, "key_value": 2}
"""Linear maps that are stored as one matrix, by the name of the module: each is made orthogonal by itself."""


class Muon:
    """Moves matrices by their gradients. `matrices` and `gradients` are views that share memory with flat tensors."""

    def __init__(self, matrices: dict[str, Tensor], gradients: dict[str, Tensor], weight_decay: float) -> None:
        self.momentum = {name: torch.zeros_like(matrix) for name, matrix in matrices.items()}
        self._matrices, self._gradients, self._weight_decay = matrices, gradients, weight_decay
        self._groups = _group_by_shape(matrices)

    def step(self, rate: float) -> None:
        weights, gradients, momenta = (list(each.values()) for each in (self._matrices, self._gradients, self.momentum))
        torch._foreach_lerp_(momenta, gradients, 1 - MOMENTUM)
        # Nesterov's momentum: one step ahead of the mean.
        updates = dict(zip(self._matrices, torch._foreach_lerp(gradients, momenta, MOMENTUM), strict=True))
        torch._foreach_mul_(weights, 1 - rate * self._weight_decay)
        for shape, names in self._groups.items():
            rows, columns = shape
            stack = torch.cat([updates[name].view(-1, rows, columns) for name in names])
            # The iteration corrects most of its own rounding, and 16-bit products are far faster.
            rounded = stack.bfloat16() if _has_bfloat16(stack.device) else stack
            stack = orthogonalize(rounded).to(stack.dtype).mul_(UPDATE_SIZE * max(shape) ** 0.5)
            targets = [matrix for name in names for matrix in self._matrices[name].view(-1, rows, columns)]
            torch._foreach_add_(targets, list(stack), alpha=-rate)


def orthogonalize(matrices: Tensor) -> Tensor:
    """Matrices (number, rows, columns) with the same singular vectors and singular values near 1. Zero stays zero."""
    upright = matrices.shape[1] > matrices.shape[2]
    x: Tensor = matrices.mT if upright else matrices
    x = x / (x.norm(dim=(1, 2), keepdim=True) + 1e-7)
    a, b, c = _COEFFICIENTS
    for _ in range(_ITERATIONS):
        square = x @ x.mT
        x = a * x + (b * square + c * (square @ square)) @ x
    return x.mT if upright else x


def _has_bfloat16(device: torch.device) -> bool:
    """Whether the device has instructions for products in bfloat16."""
    return device.type == "cuda" or (device.type == "cpu" and bool(torch.cpu._is_avx512_bf16_supported()))


def _group_by_shape(matrices: dict[str, Tensor]) -> dict[tuple[int, int], list[str]]:
    """Names by the shape of the linear maps that each holds, so that all of a shape are one product."""
    groups: dict[tuple[int, int], list[str]] = {}
    for name, matrix in matrices.items():
        rows, columns = matrix.shape
        module = name.split(".")[-2]
        groups.setdefault((rows // _STACKED.get(module, 1), columns), []).append(name)
    return groups
