from __future__ import annotations

import pytest
import torch

from redraft.errors import InputError
from redraft.lab.train.averaging import MovingAverage, average


def test_the_running_average_forgets_its_start_and_approaches_what_it_is_fed():
    running = MovingAverage(torch.zeros(3), decay=0.99)
    for _ in range(200):
        running.update(torch.ones(3))
    assert (running.flat > 0.99).all() and (running.flat <= 1).all()


def test_the_mean_of_checkpoints():
    ones, threes = {"a": torch.ones(2), "b": torch.ones(1)}, {"a": torch.full((2,), 3.0), "b": torch.ones(1)}
    assert average([ones, threes])["a"].tolist() == [2.0, 2.0]


@pytest.mark.parametrize("other", [{"a": torch.ones(3)}, {"c": torch.ones(2)}])
def test_checkpoints_of_different_shapes_are_refused(other):
    with pytest.raises(InputError, match="different shapes: see the tensor a"):
        average([{"a": torch.ones(2)}, other])
    with pytest.raises(InputError, match="nothing to average"):
        average([])
