from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redraft.lab.train.config import BatchConfig, StageConfig
from redraft.lab.train.schedule import learning_rate, progress, units_at


def stage(**changes) -> StageConfig:
    return StageConfig(**{"name": "x", "mix": {"a": 1.0}, "steps": 100, "learning_rate": 1.0, "warmup": 0.1} | changes)


@given(st.floats(0, 1), st.sampled_from(["cosine", "linear", "inverse-sqrt", "constant"]))
def test_the_rate_stays_between_nothing_and_its_peak(done, schedule):
    assert 0 <= learning_rate(stage(schedule=schedule), done, int(100 * done)) <= 1


@pytest.mark.parametrize("schedule", ["cosine", "linear"])
def test_rises_then_falls_to_nothing(schedule):
    chosen = stage(schedule=schedule)
    rates = [learning_rate(chosen, step / 100, step) for step in range(101)]
    assert rates[0] > 0  # the first step of all must move
    assert rates[:11] == sorted(rates[:11]) and rates[10:] == sorted(rates[10:], reverse=True)
    assert rates[10] == pytest.approx(1) and rates[100] == pytest.approx(0)


def test_inverse_square_root_counts_steps():
    chosen = stage(schedule="inverse-sqrt", warmup_steps=4)
    assert [learning_rate(chosen, 0, step) for step in (0, 3, 15)] == pytest.approx([0.25, 1.0, 0.5])


def test_progress_is_by_steps_or_by_the_clock_whichever_is_further():
    assert progress(stage(), 50, 1e9) == 0.5
    assert progress(stage(minutes=1), 10, 30) == 0.5
    assert progress(stage(minutes=1), 90, 30) == 0.9
    assert progress(stage(minutes=1), 0, 600) == 1.0


def test_batches_grow():
    batches = (BatchConfig(1, 0.25), BatchConfig(4))
    assert [units_at(batches, done) for done in (0, 0.24, 0.25, 1.0)] == [1, 1, 4, 4]
