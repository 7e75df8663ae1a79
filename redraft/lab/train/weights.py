"""Master weights in single precision, stored in one flat tensor; the network computes with copies of them.

With one flat tensor, the optimizer, clipping, the sum over processes, the moving average and snapshots are one
operation each.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from redraft.model.transformer import Transformer


class MasterWeights:
    def __init__(self, model: Transformer, dtype: torch.dtype) -> None:
        self.model = model
        named = dict(model.named_parameters())  # a tied table comes once
        # Matrices of layers first, then other matrices, because only matrices have weight decay.
        self.names = sorted(named, key=lambda name: (named[name].dim() < 2, not _is_in_layer(name), name))
        self.shapes = {name: named[name].shape for name in self.names}
        self.flat = torch.cat([named[name].detach().float().reshape(-1) for name in self.names])
        self.gradient = torch.zeros_like(self.flat)
        self.layer_matrices = [name for name in self.names if named[name].dim() == 2 and _is_in_layer(name)]
        self.matrices = sum(named[name].numel() for name in self.names if named[name].dim() >= 2)
        model.to(dtype)
        self._parameters: list[Tensor] = [model.get_parameter(name) for name in self.names]
        self._views, self._gradients = self._split(self.flat), self._split(self.gradient)

    def parameter_groups(self, weight_decay: float, layers: bool = True) -> list[dict[str, object]]:
        """Two parameter groups for an optimizer, whose tensors share memory with the flat tensor and its gradient:
        matrices, with those of the layers or without, and the rest."""
        groups: list[dict[str, object]] = []
        first = 0 if layers else sum(self.shapes[name].numel() for name in self.layer_matrices)
        for part, decay in ((slice(first, self.matrices), weight_decay), (slice(self.matrices, None), 0.0)):
            leaf = nn.Parameter(self.flat[part])
            leaf.grad = self.gradient[part]
            groups.append({"params": [leaf], "weight_decay": decay})
        return groups

    def collect_gradients(self, first: bool, scale: float) -> None:
        """Adds the network's gradients, times `scale`, to the flat gradient; if `first`, they replace it."""
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
    def copy_to_model(self) -> None:
        torch._foreach_copy_(self._parameters, self._views)

    def named(self, flat: Tensor | None = None) -> dict[str, Tensor]:
        """Tensors by name: views of the weights, or of another flat tensor of the same size."""
        return dict(zip(self.names, self._views if flat is None else self._split(flat), strict=True))

    @torch.no_grad()
    def load(self, tensors: Mapping[str, Tensor], flat: Tensor | None = None) -> None:
        """Copies named tensors into the weights, or into another flat tensor of the same size."""
        for name, view in self.named(flat).items():
            view.copy_(tensors[name])

    def _split(self, flat: Tensor) -> list[Tensor]:
        parts = torch.split(flat, [shape.numel() for shape in self.shapes.values()])
        return [part.view(shape) for part, shape in zip(parts, self.shapes.values(), strict=True)]


def _is_in_layer(name: str) -> bool:
    return ".layers." in name
