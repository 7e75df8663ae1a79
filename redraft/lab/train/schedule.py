"""How the learning rate and the size of batches change in the course of a stage."""

from __future__ import annotations

import math
from collections.abc import Sequence

from redraft.lab.train.config import BatchConfig, StageConfig


def progress(stage: StageConfig, step: int, seconds: float) -> float:
    """How much of the stage is over, 0 to 1: by steps, by the clock, or by whichever is further."""
    shares = [0.0]
    if stage.steps:
        shares.append(step / stage.steps)
    if stage.minutes:
        shares.append(seconds / (60 * stage.minutes))
    return min(1.0, max(shares))


def learning_rate(stage: StageConfig, done: float, step: int) -> float:
    """The rate for the step that is about to be made; `done` is the stage's progress."""
    rise = (step + 1) / stage.warmup_steps if stage.warmup_steps else _rise(done, stage.warmup)
    if rise < 1:
        return stage.learning_rate * rise
    return stage.learning_rate * _fall(stage, done, step)


def _rise(done: float, warmup: float) -> float:
    # The first step of a clock-driven stage comes at 0 seconds and must still move.
    return max(done, 0.01 * warmup) / warmup if warmup else 1.0


def _fall(stage: StageConfig, done: float, step: int) -> float:
    if stage.schedule == "constant":
        return 1.0
    if stage.schedule == "inverse-sqrt":
        if stage.warmup_steps:
            return math.sqrt(stage.warmup_steps / max(step + 1, stage.warmup_steps))
        return math.sqrt(stage.warmup / done) if stage.warmup else 1.0
    start = 0.0 if stage.warmup_steps else stage.warmup
    left = max(0.0, 1 - (done - start) / (1 - start))
    return left if stage.schedule == "linear" else 0.5 * (1 - math.cos(math.pi * left))


def units_at(batches: Sequence[BatchConfig], done: float) -> int:
    """Packed units a forward pass takes at this point of the stage."""
    for batch in batches:
        if done < batch.until:
            return batch.units
    return batches[-1].units
