"""The training loss: cross-entropy with label smoothing, weighted by token."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from redraft.lab.train.loader import Batch
from redraft.model.transformer import Transformer


def token_losses(logits: Tensor, labels: Tensor, smoothing: float) -> Tensor:
    """(P, vocabulary) → (P,). Written out, so that the compiler can fuse it into one pass over the logits."""
    logits = logits.float()
    total = torch.logsumexp(logits, dim=-1)
    loss = total - logits.gather(-1, labels[:, None])[:, 0]
    if not smoothing:
        return loss
    return (1 - smoothing) * loss + smoothing * (total - logits.mean(dim=-1))


def mean_loss(logits: Tensor, labels: Tensor, weights: Tensor, smoothing: float) -> Tensor:
    return (token_losses(logits, labels, smoothing) * weights).sum() / weights.sum().clamp(min=1.0)


class ChunkedLoss(torch.autograd.Function):
    """`mean_loss` for a CPU: some rows of logits at a time, which stay in the processor's cache while the loss or its
    gradient is computed. Written out, each operation would go through memory with all of them, in single precision."""

    ROWS = 64

    @staticmethod
    def forward(context: Any, logits: Tensor, labels: Tensor, weights: Tensor, smoothing: float) -> Tensor:
        shares = weights / weights.sum().clamp(min=1.0)
        loss, totals = shares.new_zeros(()), []
        for rows in _chunks(len(logits)):
            part = logits[rows].float()
            totals.append(torch.logsumexp(part, dim=-1))
            found = (1 - smoothing) * part.gather(-1, labels[rows, None])[:, 0] + smoothing * part.mean(dim=-1)
            loss += ((totals[-1] - found) * shares[rows]).sum()
        context.save_for_backward(logits, labels, shares, torch.cat(totals))
        context.smoothing = smoothing
        return loss

    @staticmethod
    def backward(context: Any, *gradients: Tensor) -> tuple[Tensor, None, None, None]:
        logits, labels, shares, totals = context.saved_tensors
        result, scaled = torch.empty_like(logits), shares * gradients[0]
        for rows in _chunks(len(logits)):
            part = logits[rows].float().sub_(totals[rows, None]).exp_()
            part.sub_(context.smoothing / part.shape[-1])
            part.scatter_add_(-1, labels[rows, None], part.new_full((len(part), 1), context.smoothing - 1))
            result[rows] = part.mul_(scaled[rows, None])
        return result, None, None, None


def _chunks(count: int) -> Iterator[slice]:
    return (slice(start, start + ChunkedLoss.ROWS) for start in range(0, count, ChunkedLoss.ROWS))


def uncompiled_loss(logits: Tensor, labels: Tensor, weights: Tensor, smoothing: float) -> Tensor:
    """`mean_loss`, in the way that is fastest on the device where it is not compiled."""
    if logits.is_cuda:
        return mean_loss(logits, labels, weights, smoothing)
    return ChunkedLoss.apply(logits, labels, weights, smoothing)  # type: ignore[no-any-return, no-untyped-call]


class LossFunction:
    """The loss of a batch; `compile_` is the `compile` of the run config."""

    def __init__(self, model: Transformer, smoothing: float, compile_: str) -> None:
        self.model = model
        self.smoothing = smoothing
        self.compiled = compile_
        self._mean_loss = uncompiled_loss
        self._loss = self._compute
        if compile_ == "layers":
            # The layers of one side have the same code: one of each kind is compiled, and the others reuse it.
            for layer in self._layers():
                layer.compile(dynamic=False)
            self._mean_loss = torch.compile(mean_loss, dynamic=False)
        elif compile_ == "model":
            self._mean_loss = mean_loss
            self._loss = torch.compile(self._compute, dynamic=False)

    def __call__(self, batch: Batch) -> Tensor:
        return self._loss(batch)

    @property
    def classes(self) -> int:
        """Number of different labels."""
        return self.model.config.vocabulary

    def _compute(self, batch: Batch) -> Tensor:
        hidden = self.model(batch.source, batch.target)
        return self._mean_loss(self.model.logits(hidden), batch.labels, batch.weights, self.smoothing)

    @contextmanager
    def uncompiled(self) -> Iterator[None]:
        """Uses uncompiled code inside a with statement."""
        layers = list(self._layers())
        kept = [layer._compiled_call_impl for layer in layers], self._mean_loss, self._loss, self.compiled
        self.disable_compilation()
        try:
            yield
        finally:
            implementations, self._mean_loss, self._loss, self.compiled = kept
            for layer, implementation in zip(layers, implementations, strict=True):
                layer._compiled_call_impl = implementation

    def disable_compilation(self) -> None:
        for layer in self._layers():
            layer._compiled_call_impl = None
        self._mean_loss = uncompiled_loss
        self._loss = self._compute
        self.compiled = "none"

    def _layers(self) -> Iterator[nn.Module]:
        yield from self.model.encoder.layers
        yield from self.model.decoder.layers
