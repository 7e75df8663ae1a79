"""The weights of a stage and what moves them: optimizer, clipping, running average, and the way back."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from redraft.lab.train.averaging import EVERY, RunningAverage
from redraft.lab.train.checkpoint import Checkpoint
from redraft.lab.train.config import RunConfig, StageConfig
from redraft.lab.train.weights import Weights


@dataclass(frozen=True, slots=True)
class Clipped:
    """The length a gradient had, 0 where it was not finite, and whether that was so; both still on the device."""

    norm: Tensor
    bad: Tensor


class Learner:
    def __init__(self, weights: Weights, stage: StageConfig, run: RunConfig, saved: Checkpoint | None = None) -> None:
        self.weights = weights
        self._clip = stage.clip
        self._optimizer = torch.optim.AdamW(
            weights.groups(stage.weight_decay), lr=stage.learning_rate, betas=run.betas, eps=run.epsilon, fused=True
        )
        updates = saved.position.average_updates if saved else 0
        self.average = RunningAverage(weights.row, stage.ema, updates) if stage.ema else None
        if saved is not None:
            self._restore(saved)
        self._good = [tensor.clone() for tensor in self._live()]

    @property
    def best_row(self) -> Tensor | None:
        """The weights to judge the stage by: the running average, where there is one."""
        return self.average.row if self.average is not None else None

    def move(self, rate: float, step: int) -> Clipped:
        """One step along the collected gradient."""
        clipped = self._shorten()
        for group in self._optimizer.param_groups:
            group["lr"] = rate
        self._optimizer.step()
        self.weights.publish()
        if self.average is not None and step % EVERY == 0:
            self.average.update(self.weights.row)
        return clipped

    def _shorten(self) -> Clipped:
        gradient = self.weights.gradient
        norm = gradient.norm()
        finite = torch.isfinite(norm)
        # A gradient that is not finite becomes none at all, without asking the device what it was.
        gradient.nan_to_num_(0.0, 0.0, 0.0)
        gradient.mul_(torch.where(finite, (self._clip / (norm + 1e-6)).clamp(max=1.0), 0.0))
        return Clipped(torch.where(finite, norm, 0.0), ~finite)

    def remember(self) -> None:
        """All is well: this is where to go back to."""
        live = self._live()
        if len(live) != len(self._good):  # the first step has made the moments
            self._good = [tensor.clone() for tensor in live]
        for kept, tensor in zip(self._good, live, strict=True):
            kept.copy_(tensor)

    def go_back(self) -> None:
        for index, tensor in enumerate(self._live()):
            if index < len(self._good):
                tensor.copy_(self._good[index])
            else:  # before the first good look there are no moments to go back to
                tensor.zero_()
        self.weights.publish()

    def tensors(self) -> dict[str, Tensor]:
        """All that a checkpoint needs to go on from here."""
        tensors = {f"weights.{name}": tensor for name, tensor in self.weights.named().items()}
        if self.average is not None:
            tensors |= {f"average.{name}": tensor for name, tensor in self.weights.named(self.average.row).items()}
        for index, state in enumerate(self._optimizer.state.values()):
            tensors |= {f"optimizer.{index}.{key}": torch.as_tensor(value) for key, value in state.items()}
        return tensors

    def _restore(self, saved: Checkpoint) -> None:
        averaged, moments = saved.part("average"), saved.part("optimizer")
        if self.average is not None and averaged:
            self.weights.load(averaged, self.average.row)
        if moments:
            state = self._optimizer.state_dict()
            state["state"] = {
                index: {key: moments[f"{index}.{key}"] for key in ("step", "exp_avg", "exp_avg_sq")}
                for index in range(len(self._optimizer.param_groups))
            }
            self._optimizer.load_state_dict(state)

    def _live(self) -> list[Tensor]:
        averaged = [self.average.row] if self.average is not None else []
        moments = [state[key] for state in self._optimizer.state.values() for key in ("exp_avg", "exp_avg_sq")]
        return [self.weights.row, *averaged, *moments]
