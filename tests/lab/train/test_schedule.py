from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redraft.lab.train.config import BatchConfig, StageConfig
from redraft.lab.train.schedule import learning_rate, packs_at, progress


def stage(**changes) -> StageConfig:
    usual: dict[str, Any] = {"name": "x", "mix": {"a": 1.0}, "steps": 100, "learning_rate": 1.0, "warmup": 0.1}
    return StageConfig(**usual | changes)


@given(st.integers(0, 100), st.sampled_from(["cosine", "linear", "inverse-sqrt", "constant"]))
def test_the_rate_is_between_zero_and_its_peak(step, schedule):
    assert 0 <= learning_rate(stage(schedule=schedule), step, 0.0) <= 1


@pytest.mark.parametrize("schedule", ["cosine", "linear"])
def test_the_rate_rises_then_falls_to_zero(schedule):
    chosen = stage(schedule=schedule)
    rates = [learning_rate(chosen, step, 0.0) for step in range(101)]
    assert rates[0] > 0  # the first step must change the weights
    assert rates[:11] == sorted(rates[:11]) and rates[10:] == sorted(rates[10:], reverse=True)
    assert rates[10] == pytest.approx(1) and rates[100] == pytest.approx(0)


def test_inverse_square_root_counts_steps():
    chosen = stage(schedule="inverse-sqrt", warmup_steps=4)
    assert [learning_rate(chosen, step, 0.0) for step in (0, 3, 15)] == pytest.approx([0.25, 1.0, 0.5])


def test_progress_is_by_steps_or_by_the_clock_whichever_is_further():
    assert progress(stage(), 50, 1e9) == 0.5
    assert progress(stage(minutes=1), 10, 30) == 0.5
    assert progress(stage(minutes=1), 90, 30) == 0.9
    assert progress(stage(minutes=1), 0, 600) == 1.0


def test_batches_grow():
    batches = (BatchConfig(1, 0.25), BatchConfig(4))
    assert [packs_at(batches, done) for done in (0, 0.24, 0.25, 1.0)] == [1, 1, 4, 4]


def test_a_constant_rate_falls_to_zero_over_the_last_steps():
    chosen = stage(schedule="constant", decay_steps=20)
    rates = [learning_rate(chosen, step, 0.0) for step in (10, 50, 80, 85, 90, 99, 100)]
    assert rates == pytest.approx([1.0, 1.0, 1.0, 0.75, 0.5, 0.05, 0.0])


def test_a_constant_rate_falls_to_zero_over_the_last_minutes():
    chosen = stage(schedule="constant", steps=0, minutes=10, decay_minutes=2)
    rates = [learning_rate(chosen, 1, seconds) for seconds in (60, 480, 540, 600, 700)]
    assert rates == pytest.approx([1.0, 1.0, 0.5, 0.0, 0.0])


def test_a_longer_stage_has_the_same_rates_up_to_the_decay_of_the_shorter():
    short, long = (stage(schedule="constant", warmup_steps=5, steps=n, decay_steps=20) for n in (100, 300))
    assert [learning_rate(short, step, 0.0) for step in range(80)] == [
        learning_rate(long, step, 0.0) for step in range(80)
    ]
