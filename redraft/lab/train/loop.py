"""The training loop: one stage, from its first step to its last."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

from redraft.lab.train.checkpoint import Position
from redraft.lab.train.config import RunConfig, StageConfig
from redraft.lab.train.group import Group
from redraft.lab.train.journal import Journal
from redraft.lab.train.kernels import Watch
from redraft.lab.train.learner import Learner
from redraft.lab.train.loader import Batch, Loader
from redraft.lab.train.objective import Objective
from redraft.lab.train.schedule import learning_rate, progress


@dataclass(slots=True)
class Clock:
    """Seconds of the stage, those before an interruption included."""

    before: float = 0.0
    started: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        return self.before + time.monotonic() - self.started


@dataclass(slots=True)
class Hooks:
    """What the loop calls besides computing."""

    save: Callable[[], None]
    evaluate: Callable[[], bool]
    """Evaluates on dev; True when the stage should stop early."""
    should_stop: Callable[[], bool]
    """True when the run was told to end: by a signal or by its own time limit."""
    save_due: Callable[[], bool]
    evaluate_due: Callable[[], bool]


@dataclass(slots=True)
class _Window:
    """Sums since the last look, most of them on the device: nothing waits for it until the look."""

    loss: Tensor
    norm: Tensor
    bad: Tensor
    steps: int = 0
    passes: int = 0
    pairs: int = 0
    tokens: int = 0
    waited: float = 0.0
    started: float = field(default_factory=time.monotonic)


class Loop:
    """`seed` makes the randomness of this stage its own."""

    def __init__(
        self,
        stage: StageConfig,
        run: RunConfig,
        learner: Learner,
        objective: Objective,
        position: Position,
        clock: Clock,
        group: Group,
        journal: Journal,
        seed: int,
    ) -> None:
        self.stage, self.run, self.position, self.clock = stage, run, position, clock
        self.learner, self.objective = learner, objective
        self.group, self.journal = group, journal
        self._seed = seed
        self._watch = Watch(run.profile_after, learner.weights.row.device, journal)
        self._window = self._new_window()
        self._usual_loss: float | None = None
        self._rate = 0.0

    def train(self, loader: Loader, hooks: Hooks) -> bool:
        """Runs to the end of the stage and returns True, or False when it was told to stop before."""
        while True:
            done = self.group.share(progress(self.stage, self.position.step, self.clock.seconds))
            stopped = self.group.any(hooks.should_stop())
            if done >= 1 or stopped:
                self._look(done)
                return not stopped
            self._step(loader, learning_rate(self.stage, done, self.position.step))
            self._watch.step_ended(self.position.step)
            if self.position.step % self.run.log_steps == 0:
                self._look(done)
            if self.group.decide(hooks.evaluate_due()) and self.group.decide(hooks.evaluate()):
                return True
            if self.group.decide(hooks.save_due()):
                hooks.save()

    def _step(self, loader: Loader, rate: float) -> None:
        window, position = self._window, self.position
        passes = self.stage.accumulate // self.group.size
        for index in range(passes):
            before = time.monotonic()
            batch = loader.next()
            window.waited += time.monotonic() - before
            # The randomness of a pass depends on its number alone: a resumed run and any number of processes agree.
            torch.manual_seed((self._seed << 40) + position.passes * self.group.size + self.group.rank)
            loss = self.objective(batch)
            torch.autograd.backward(loss)
            self.learner.weights.collect(first=index == 0, scale=1 / self.stage.accumulate)
            window.loss += loss.detach()
            self._count(batch)
        self.group.sum(self.learner.weights.gradient)
        position.step += 1
        position.all_steps += 1
        clipped = self.learner.move(rate, position.step)
        self._rate = rate
        window.norm += clipped.norm
        window.bad += clipped.bad
        window.steps += 1

    def _count(self, batch: Batch) -> None:
        position, window = self.position, self._window
        position.passes += 1
        position.units += batch.units
        # The processes' batches are alike, so each knows well enough what all of them have seen.
        position.pairs += batch.pairs * self.group.size
        position.tokens += batch.tokens * self.group.size
        position.skipped += batch.skipped * self.group.size
        position.lanes.update({lane: list(state) for lane, state in batch.states.items()})
        window.passes += 1
        window.pairs += batch.pairs
        window.tokens += batch.tokens

    def _look(self, done: float) -> None:
        """Waits for the device, checks that all is well, and reports."""
        window = self._window
        if not window.steps:
            return
        self.group.sum(window.loss)
        loss = float(window.loss) / (window.passes * self.group.size)
        norm, bad = float(window.norm) / window.steps, int(window.bad)
        spiked = self._usual_loss is not None and loss > self.run.spike * self._usual_loss
        if bad:
            self.journal.say(
                f"step {self.position.step}: {bad} of {window.steps} gradients were not finite and were left out"
            )
        if not math.isfinite(loss) or spiked:
            self._step_back(loss)
        else:
            self._usual_loss = loss if self._usual_loss is None else 0.9 * self._usual_loss + 0.1 * loss
            self.learner.remember()
        self._report(done, loss, norm, bad)
        self._window = self._new_window()

    def _report(self, done: float, loss: float, norm: float, bad: int) -> None:
        window, position = self._window, self.position
        seconds = max(time.monotonic() - window.started, 1e-9)
        pairs, tokens = (count * self.group.size / seconds for count in (window.pairs, window.tokens))
        utilization = tokens * self._flops_a_token() / (self.run.peak_tflops * 1e12 * self.group.size)
        left = f"{self.clock.seconds * (1 - done) / done / 60:.1f} min" if done else "?"
        self.journal.record(
            "train",
            position.all_steps,
            stage=self.stage.name,
            done=round(done, 4),
            loss=round(loss, 5),
            gradient=round(norm, 4),
            left_out=bad,
            rate=self._rate,
            pairs=position.pairs,
            pairs_a_second=round(pairs, 1),
            tokens_a_second=round(tokens, 1),
            utilization=round(utilization, 4),
            waited=round(window.waited / seconds, 4),
            skipped=position.skipped,
            seconds=round(self.clock.seconds, 2),
        )
        self.journal.show(
            f"{self.stage.name} {done:6.1%}  step {position.step}  loss {loss:.4f}  rate {self._rate:.2e}  "
            f"{tokens / 1000:.0f}K tokens/s  {pairs / 1000:.1f}K pairs/s  MFU {utilization:.0%}  "
            f"waiting {window.waited / seconds:.0%}  left {left}",
            self.run.progress_seconds,
        )

    def _step_back(self, loss: float) -> None:
        """Takes the last good weights and goes on with the data that comes next."""
        self.journal.say(f"step {self.position.step}: loss {loss:.3f}; back to the weights of the last good look")
        self.journal.record("step back", self.position.all_steps, loss=loss if math.isfinite(loss) else None)
        self.learner.go_back()

    def _new_window(self) -> _Window:
        zero = torch.zeros((), device=self.learner.weights.row.device)
        return _Window(zero, zero.clone(), torch.zeros((), dtype=torch.int64, device=zero.device))

    def _flops_a_token(self) -> float:
        """Two a weight and pass, three passes; a table is used once, to predict. Attention itself is left out."""
        model = self.learner.weights.model
        used = sum(parameter.numel() for name, parameter in model.named_parameters() if "positions" not in name)
        tables = 0 if model.config.tie_output else model.embedding.weight.numel()
        return 6.0 * (used - tables)


def set_dropout(model: nn.Module, share: float) -> None:
    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module.p = share
