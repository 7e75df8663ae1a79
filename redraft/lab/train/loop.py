"""The training loop of one stage, from its first step to its last."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

from redraft.lab.train.checkpoint import Position
from redraft.lab.train.config import RunConfig, StageConfig
from redraft.lab.train.loader import Batch, BatchLoader
from redraft.lab.train.loss import LossFunction
from redraft.lab.train.optimizer import Optimizer
from redraft.lab.train.process_group import ProcessGroup
from redraft.lab.train.run_log import RunLog
from redraft.lab.train.schedule import learning_rate, progress
from redraft.lab.train.step_profiler import StepProfiler


@dataclass(slots=True)
class Clock:
    """Seconds of the stage, including those before an interruption."""

    before: float = 0.0
    started: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        return self.before + time.monotonic() - self.started


@dataclass(slots=True)
class Hooks:
    """What the loop calls between steps."""

    save: Callable[[], None]
    evaluate: Callable[[], bool]
    """Evaluates on dev; True if the stage should stop early."""
    should_stop: Callable[[], bool]
    """True if the run should save and stop, because of a signal or its time limit."""
    save_due: Callable[[], bool]
    evaluate_due: Callable[[], bool]


@dataclass(slots=True)
class _Interval:
    """Sums since the last log entry. The tensors stay on the device, so that steps do not wait for it."""

    loss: Tensor
    norm: Tensor
    not_finite: Tensor
    steps: int = 0
    passes: int = 0
    pairs: int = 0
    tokens: int = 0
    waited: float = 0.0
    started: float = field(default_factory=time.monotonic)


class TrainingLoop:
    """`seed` sets the random numbers of this stage."""

    def __init__(
        self,
        stage: StageConfig,
        run: RunConfig,
        optimizer: Optimizer,
        loss_function: LossFunction,
        position: Position,
        clock: Clock,
        group: ProcessGroup,
        log: RunLog,
        seed: int,
    ) -> None:
        self.stage, self.run, self.position, self.clock = stage, run, position, clock
        self.optimizer, self.loss_function = optimizer, loss_function
        self.group, self.log = group, log
        self._seed = seed
        self._profiler = StepProfiler(run.profile_after, optimizer.weights.flat.device, log)
        self._interval = self._new_interval()
        self._mean_loss: float | None = None
        self._rate = 0.0

    def train(self, loader: BatchLoader, hooks: Hooks) -> bool:
        """Runs to the end of the stage and returns True, or False if the run should stop before."""
        while True:
            seconds = self.group.broadcast(self.clock.seconds)
            done = progress(self.stage, self.position.step, seconds)
            stopped = self.group.any(hooks.should_stop())
            if done >= 1 or stopped:
                self._end_interval(done)
                return not stopped
            self._step(loader, learning_rate(self.stage, self.position.step, seconds))
            self._profiler.step_ended(self.position.step)
            if self.position.step % self.run.log_steps == 0:
                self._end_interval(done)
            if self.group.broadcast_flag(hooks.evaluate_due()) and self.group.broadcast_flag(hooks.evaluate()):
                return True
            if self.group.broadcast_flag(hooks.save_due()):
                hooks.save()

    def _step(self, loader: BatchLoader, rate: float) -> None:
        interval, position = self._interval, self.position
        passes = self.stage.accumulate // self.group.size
        for index in range(passes):
            before = time.monotonic()
            batch = loader.next()
            interval.waited += time.monotonic() - before
            # The random numbers of a pass depend on its number alone, so a resumed run has the same.
            torch.manual_seed((self._seed << 40) + position.passes * self.group.size + self.group.rank)
            loss = self.loss_function(batch)
            torch.autograd.backward(loss)
            self.optimizer.weights.collect_gradients(first=index == 0, scale=1 / self.stage.accumulate)
            interval.loss += loss.detach()
            self._count(batch)
        self.group.sum(self.optimizer.weights.gradient)
        position.step += 1
        position.all_steps += 1
        gradient = self.optimizer.step(rate, position.step)
        self._rate = rate
        interval.norm += gradient.norm
        interval.not_finite += gradient.not_finite
        interval.steps += 1

    def _count(self, batch: Batch) -> None:
        position, interval = self.position, self._interval
        position.passes += 1
        position.packs += batch.packs
        # The batches of all processes are of about the same size, so one process can estimate the sums over all.
        position.pairs += batch.pairs * self.group.size
        position.tokens += batch.tokens * self.group.size
        position.skipped += batch.skipped * self.group.size
        position.partitions.update({partition: list(counters) for partition, counters in batch.counters.items()})
        interval.passes += 1
        interval.pairs += batch.pairs
        interval.tokens += batch.tokens

    def _end_interval(self, done: float) -> None:
        """Reads the sums from the device, rolls back if the loss is wrong, and writes the log entry."""
        interval = self._interval
        if not interval.steps:
            return
        self.group.sum(interval.loss)
        loss = float(interval.loss) / (interval.passes * self.group.size)
        norm, not_finite = float(interval.norm) / interval.steps, int(interval.not_finite)
        spiked = self._mean_loss is not None and loss > self.run.spike_factor * self._mean_loss
        if not_finite:
            count = f"{not_finite} of {interval.steps} gradients"
            self.log.print(f"step {self.position.step}: {count} were not finite and were left out")
        if not math.isfinite(loss) or spiked:
            self._roll_back(loss)
        else:
            self._mean_loss = loss if self._mean_loss is None else 0.9 * self._mean_loss + 0.1 * loss
            self.optimizer.take_snapshot()
        self._report(done, loss, norm, not_finite)
        self._interval = self._new_interval()

    def _report(self, done: float, loss: float, norm: float, not_finite: int) -> None:
        interval, position = self._interval, self.position
        seconds = max(time.monotonic() - interval.started, 1e-9)
        pairs, tokens = (count * self.group.size / seconds for count in (interval.pairs, interval.tokens))
        utilization = tokens * self._flops_per_token() / (self.run.peak_tflops * 1e12 * self.group.size)
        left = f"{self.clock.seconds * (1 - done) / done / 60:.1f} min" if done else "?"
        self.log.record(
            "train",
            position.all_steps,
            stage=self.stage.name,
            done=round(done, 4),
            loss=round(loss, 5),
            gradient=round(norm, 4),
            not_finite=not_finite,
            rate=self._rate,
            pairs=position.pairs,
            pairs_per_second=round(pairs, 1),
            tokens_per_second=round(tokens, 1),
            utilization=round(utilization, 4),
            waited=round(interval.waited / seconds, 4),
            skipped=position.skipped,
            seconds=round(self.clock.seconds, 2),
        )
        self.log.print_progress(
            f"{self.stage.name} {done:6.1%}  step {position.step}  loss {loss:.4f}  rate {self._rate:.2e}  "
            f"{tokens / 1000:.0f}K tokens/s  {pairs / 1000:.1f}K pairs/s  MFU {utilization:.0%}  "
            f"waiting {interval.waited / seconds:.0%}  left {left}",
            self.run.progress_seconds,
        )

    def _roll_back(self, loss: float) -> None:
        """Returns to the last snapshot, and goes on with the next data."""
        self.log.print(f"step {self.position.step}: loss {loss:.3f}; rolled back to the last good weights")
        self.log.record("rollback", self.position.all_steps, loss=loss if math.isfinite(loss) else None)
        self.optimizer.roll_back()

    def _new_interval(self) -> _Interval:
        zero = torch.zeros((), device=self.optimizer.weights.flat.device)
        return _Interval(zero, zero.clone(), torch.zeros((), dtype=torch.int64, device=zero.device))

    def _flops_per_token(self) -> float:
        """2 per weight and pass, 3 passes (1 forward, 2 backward). Attention itself, and looking up embeddings, are not
        counted."""
        model = self.optimizer.weights.model
        used = sum(parameter.numel() for name, parameter in model.named_parameters() if "positions" not in name)
        tables = 0 if model.config.tie_output else model.embedding.weight.numel()
        return 6.0 * (used - tables)


def set_dropout(model: nn.Module, share: float) -> None:
    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module.p = share
