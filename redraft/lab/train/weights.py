"""The weights in full precision, all in one row, beside the network that computes with copies of them.

One row makes the optimizer, clipping, averaging across processes, the running average and snapshots one operation each.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from redraft.model.transformer import Transformer


class Weights:
    def __init__(self, model: Transformer, dtype: torch.dtype) -> None:
        self.model = model
        named = dict(model.named_parameters())  # a tied table comes once
        # Matrices first: only they decay.
        self.names = sorted(named, key=lambda name: (named[name].dim() < 2, name))
        self.shapes = {name: named[name].shape for name in self.names}
        self.row = torch.cat([named[name].detach().float().reshape(-1) for name in self.names])
        self.gradient = torch.zeros_like(self.row)
        self.matrices = sum(named[name].numel() for name in self.names if named[name].dim() >= 2)
        model.to(dtype)
        self._parameters: list[Tensor] = [model.get_parameter(name) for name in self.names]
        self._views, self._gradients = self._split(self.row), self._split(self.gradient)

    def groups(self, weight_decay: float) -> list[dict[str, object]]:
        """Parameter groups for an optimizer: two leaves that share memory with the row and its gradient."""
        groups: list[dict[str, object]] = []
        for part, decay in ((slice(0, self.matrices), weight_decay), (slice(self.matrices, None), 0.0)):
            leaf = nn.Parameter(self.row[part])
            leaf.grad = self.gradient[part]
            groups.append({"params": [leaf], "weight_decay": decay})
        return groups

    def collect(self, first: bool, scale: float) -> None:
        """Takes the network's gradients over, times `scale`, into the row; `first` overwrites what was there."""
        gradients = []
        for parameter in self._parameters:
            gradients.append(parameter.grad if parameter.grad is not None else torch.zeros_like(parameter))
            parameter.grad = None
        if first:
            torch._foreach_copy_(self._gradients, gradients)
            if scale != 1.0:
                self.gradient.mul_(scale)
        else:
            torch._foreach_add_(self._gradients, [gradient.float() for gradient in gradients], alpha=scale)

    @torch.no_grad()
    def publish(self, row: Tensor | None = None) -> None:
        """Gives the network the weights of the row, or of another row like it."""
        views = self._views if row is None else self._split(row)
        torch._foreach_copy_(self._parameters, views)

    def named(self, row: Tensor | None = None) -> dict[str, Tensor]:
        """Tensors by name, views of the row or of another like it."""
        return dict(zip(self.names, self._views if row is None else self._split(row), strict=True))

    @torch.no_grad()
    def load(self, tensors: Mapping[str, Tensor], row: Tensor | None = None) -> None:
        for name, view in self.named(row).items():
            view.copy_(tensors[name])

    def _split(self, row: Tensor) -> list[Tensor]:
        parts = torch.split(row, [shape.numel() for shape in self.shapes.values()])
        return [part.view(shape) for part, shape in zip(parts, self.shapes.values(), strict=True)]
