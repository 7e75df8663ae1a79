"""Learning rate and batch size in the course of a stage."""

from __future__ import annotations

import math
from collections.abc import Sequence

from redraft.lab.train.config import BatchConfig, StageConfig


def progress(stage: StageConfig, step: int, seconds: float) -> float:
    """Share of the stage that is done, 0 to 1: by steps or by time, whichever is further."""
    shares = [0.0]
    if stage.steps:
        shares.append(step / stage.steps)
    if stage.minutes:
        shares.append(seconds / (60 * stage.minutes))
    return min(1.0, max(shares))


def learning_rate(stage: StageConfig, step: int, seconds: float) -> float:
    """The rate of the next step, after `step` steps and `seconds` of the stage."""
    done = progress(stage, step, seconds)
    rise = (step + 1) / stage.warmup_steps if stage.warmup_steps else _rise(done, stage.warmup)
    if rise < 1:
        return stage.learning_rate * rise
    if stage.schedule == "constant":
        return stage.learning_rate * _decay(stage, step, seconds)
    return stage.learning_rate * _fall(stage, done, step)


def _rise(done: float, warmup: float) -> float:
    # The first step of a stage by time is at 0 seconds, and its rate must not be 0.
    return max(done, 0.01 * warmup) / warmup if warmup else 1.0


def _decay(stage: StageConfig, step: int, seconds: float) -> float:
    """1, and at the end of the stage a linear fall to 0."""
    left = [1.0]
    if stage.decay_steps:
        left.append((stage.steps - step) / stage.decay_steps)
    if stage.decay_minutes:
        left.append((60 * stage.minutes - seconds) / (60 * stage.decay_minutes))
    return max(0.0, min(left))


def _fall(stage: StageConfig, done: float, step: int) -> float:
    if stage.schedule == "inverse-sqrt":
        if stage.warmup_steps:
            return math.sqrt(stage.warmup_steps / max(step + 1, stage.warmup_steps))
        return math.sqrt(stage.warmup / done) if stage.warmup else 1.0
    start = 0.0 if stage.warmup_steps else stage.warmup
    left = max(0.0, 1 - (done - start) / (1 - start))
    return left if stage.schedule == "linear" else 0.5 * (1 - math.cos(math.pi * left))


def packs_at(batches: Sequence[BatchConfig], done: float) -> int:
    """Packs per forward pass when a share `done` of the stage is over."""
    for batch in batches:
        if done < batch.until:
            return batch.packs
    return batches[-1].packs
