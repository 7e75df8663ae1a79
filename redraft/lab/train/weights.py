"""Master weights in single precision, stored in one flat tensor; the network computes with copies of them.

With one flat tensor, the optimizer, clipping, the sum over processes, the moving average and snapshots are one
operation each.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import groupby

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
        self._layer_matrices = [name for name in self.names if named[name].dim() == 2 and _is_in_layer(name)]
        self._frozen: frozenset[str] = frozenset()
        model.to(dtype)
        self._parameters: list[Tensor] = [model.get_parameter(name) for name in self.names]
        self._views, self._gradients = self._split(self.flat), self._split(self.gradient)

    def freeze(self, parts: Collection[str]) -> None:
        """Freezes the parts of the network with these names, such as `encoder`, and no others."""
        self._frozen = frozenset(name for name in self.names if name.partition(".")[0] in parts)
        for name, parameter in zip(self.names, self._parameters, strict=True):
            parameter.requires_grad_(name not in self._frozen)

    @property
    def layer_matrices(self) -> list[str]:
        """Names of the matrices of the layers, without frozen ones."""
        return [name for name in self._layer_matrices if name not in self._frozen]

    def parameter_groups(self, weight_decay: float, layers: bool = True) -> list[dict[str, object]]:
        """Two parameter groups for an optimizer, whose tensors share memory with the flat tensor and its gradient:
        matrices, with those of the layers or without, and the rest. Frozen weights are left out."""
        left_out = self._frozen if layers else self._frozen | set(self._layer_matrices)
        groups: list[dict[str, object]] = []
        for matrices, decay in ((True, weight_decay), (False, 0.0)):
            chosen = {name for name in self.names if (len(self.shapes[name]) >= 2) == matrices and name not in left_out}
            groups.append({"params": [self._leaf(part) for part in self._runs(chosen)], "weight_decay": decay})
        return groups

    def _leaf(self, part: slice) -> nn.Parameter:
        leaf = nn.Parameter(self.flat[part])
        leaf.grad = self.gradient[part]
        return leaf

    def _runs(self, chosen: Collection[str]) -> Iterator[slice]:
        """The parts of the flat tensor that have the chosen weights, as few and as long as possible."""
        end = 0
        for is_chosen, names in groupby(self.names, key=chosen.__contains__):
            start, end = end, end + sum(self.shapes[name].numel() for name in names)
            if is_chosen:
                yield slice(start, end)

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
