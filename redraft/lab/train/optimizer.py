"""The optimizer of a stage: AdamW, and Muon if the stage says so, with gradient clipping, a moving average of the
weights, and a snapshot to roll back to."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from redraft.lab.train.averaging import EVERY, MovingAverage
from redraft.lab.train.checkpoint import Checkpoint
from redraft.lab.train.config import RunConfig, StageConfig
from redraft.lab.train.muon import Muon
from redraft.lab.train.weights import MasterWeights


@dataclass(frozen=True, slots=True)
class GradientNorm:
    """Norm of a gradient before clipping, 0 where it was not finite. Both tensors are on the device."""

    norm: Tensor
    not_finite: Tensor


class Optimizer:
    def __init__(
        self, weights: MasterWeights, stage: StageConfig, run: RunConfig, saved: Checkpoint | None = None
    ) -> None:
        self.weights = weights
        self._clip_norm = stage.clip_norm
        self._adam = torch.optim.AdamW(
            weights.parameter_groups(stage.weight_decay, layers=stage.optimizer == "adam"),
            lr=stage.learning_rate,
            betas=run.betas,
            eps=run.epsilon,
            fused=True,
        )
        self._muon = self._new_muon(stage) if stage.optimizer == "muon" else None
        updates = saved.position.average_updates if saved else 0
        self.average = MovingAverage(weights.flat, stage.ema, updates) if stage.ema else None
        if saved is not None:
            self._restore(saved)
        self._snapshot = [tensor.clone() for tensor in self._state()]

    def _new_muon(self, stage: StageConfig) -> Muon:
        weights, gradients = self.weights.named(), self.weights.named(self.weights.gradient)
        names = self.weights.layer_matrices
        return Muon(
            {name: weights[name] for name in names}, {name: gradients[name] for name in names}, stage.weight_decay
        )

    @property
    def evaluated_weights(self) -> Tensor | None:
        """The moving average, by which the stage is evaluated; None where there is none."""
        return self.average.flat if self.average is not None else None

    def step(self, rate: float, number: int) -> GradientNorm:
        """Makes step `number` along the collected gradient."""
        norm = self._clip_gradient()
        for group in self._adam.param_groups:
            group["lr"] = rate
        self._adam.step()
        if self._muon is not None:
            self._muon.step(rate)
        self.weights.copy_to_model()
        if self.average is not None and number % EVERY == 0:
            self.average.update(self.weights.flat)
        return norm

    def _clip_gradient(self) -> GradientNorm:
        gradient = self.weights.gradient
        norm = gradient.norm()
        finite = torch.isfinite(norm)
        # A gradient that is not finite becomes zero, without waiting for the device to tell which case it is.
        gradient.nan_to_num_(0.0, 0.0, 0.0)
        gradient.mul_(torch.where(finite, (self._clip_norm / (norm + 1e-6)).clamp(max=1.0), 0.0))
        return GradientNorm(torch.where(finite, norm, 0.0), ~finite)

    def take_snapshot(self) -> None:
        state = self._state()
        if len(state) != len(self._snapshot):  # the first step has created the moments
            self._snapshot = [tensor.clone() for tensor in state]
        for kept, tensor in zip(self._snapshot, state, strict=True):
            kept.copy_(tensor)

    def roll_back(self) -> None:
        """Returns to the last snapshot."""
        for index, tensor in enumerate(self._state()):
            if index < len(self._snapshot):
                tensor.copy_(self._snapshot[index])
            else:  # the snapshot was taken before the first step created the moments
                tensor.zero_()
        self.weights.copy_to_model()

    def tensors(self) -> dict[str, Tensor]:
        """All tensors that a checkpoint needs."""
        tensors = {f"weights.{name}": tensor for name, tensor in self.weights.named().items()}
        if self.average is not None:
            tensors |= {f"average.{name}": tensor for name, tensor in self.weights.named(self.average.flat).items()}
        for index, state in enumerate(self._adam.state.values()):
            tensors |= {f"optimizer.{index}.{key}": torch.as_tensor(value) for key, value in state.items()}
        if self._muon is not None:
            tensors |= {f"momentum.{name}": tensor for name, tensor in self._muon.momentum.items()}
        return tensors

    def _restore(self, saved: Checkpoint) -> None:
        averaged, moments = saved.part("average"), saved.part("optimizer")
        if self.average is not None and averaged:
            self.weights.load(averaged, self.average.flat)
        if moments:
            state = self._adam.state_dict()
            state["state"] = {
                index: {key: moments[f"{index}.{key}"] for key in ("step", "exp_avg", "exp_avg_sq")}
                for index in range(sum(len(group["params"]) for group in self._adam.param_groups))
            }
            self._adam.load_state_dict(state)
        momentum = saved.part("momentum")
        if self._muon is not None and momentum:
            for name, tensor in self._muon.momentum.items():
                tensor.copy_(momentum[name])

    def _state(self) -> list[Tensor]:
        averaged = [self.average.flat] if self.average is not None else []
        moments = [state[key] for state in self._adam.state.values() for key in ("exp_avg", "exp_avg_sq")]
        momentum = self._muon.momentum.values() if self._muon is not None else ()
        return [self.weights.flat, *averaged, *momentum, *moments]
