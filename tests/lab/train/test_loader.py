from __future__ import annotations

from itertools import cycle

import numpy as np
import pytest
import torch

from redraft.lab.train.batches import Encoded, Layout, Packer
from redraft.lab.train.loader import Loader, unpack
from redraft.lab.train.workers import Unit

LAYOUT = Layout(24, 8)


class Plan:
    layout = LAYOUT


class OwnFeed:
    """Units made in this process."""

    plan = Plan()

    def __init__(self, fails_after: int = 10**6) -> None:
        pairs = cycle([Encoded([5, 6, 7], [5, 7], (1,)), Encoded([9], [9, 9], (2,))])
        self._packer = Packer(LAYOUT, iter(pairs))
        self._numbers = np.zeros(LAYOUT.size, dtype=np.int32)
        self.taken, self.closed, self._fails_after = 0, False, fails_after

    def take(self) -> Unit:
        if self.taken >= self._fails_after:
            raise RuntimeError("no more")
        report = self._packer.fill(self._numbers)
        self.taken += 1
        return Unit(self.taken - 1, self._numbers, report)

    def close(self) -> None:
        self.closed = True


def load(feed: OwnFeed, units=lambda number: 1, first: int = 0) -> Loader:
    return Loader(feed, torch.device("cpu"), units, first)  # type: ignore[arg-type]


def test_several_units_make_one_batch_whose_sentences_stay_apart():
    feed = OwnFeed()
    loader = load(feed, lambda number: 3)
    batch = loader.next()
    loader.close()
    assert batch.units == 3 and sorted(batch.states) == [0, 1, 2]
    assert batch.source.ids.shape == (72,) and batch.labels.shape == (72,)
    for side in (batch.source, batch.target):
        assert side.window == 8
        rows = side.segments.view(-1, side.window).tolist()
        assert len(rows) == 9 and all(row[0] == 1 for row in rows)


def test_the_size_follows_the_number_of_the_pass():
    loader = load(OwnFeed(), lambda number: 1 if number < 7 else 2, first=6)
    assert [loader.next().units for _ in range(3)] == [1, 2, 2]
    loader.close()


def test_a_failing_feed_fails_the_training_thread():
    loader = load(OwnFeed(fails_after=1))
    loader.next()
    with pytest.raises(RuntimeError, match="no more"):
        loader.next()
    loader.close()


def test_closing_ends_the_thread_and_the_feed():
    feed = OwnFeed()
    loader = load(feed)
    loader.close()
    assert feed.closed and not loader._thread.is_alive()


def test_weights_survive_as_floats():
    row = np.zeros((1, LAYOUT.size), dtype=np.int32)
    Packer(LAYOUT, cycle([Encoded([5, 6], [5, 7], (1,))]), 2.5).fill(row[0])
    weights = unpack(torch.from_numpy(row), LAYOUT)[3]
    assert weights[:3].tolist() == [1.0, 2.5, 2.5]
