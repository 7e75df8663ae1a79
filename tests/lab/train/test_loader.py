from __future__ import annotations

from itertools import cycle

import numpy as np
import pytest
import torch

from redraft.lab.train.loader import BatchLoader, unpack
from redraft.lab.train.packing import DrawnPair, Layout, Packer
from redraft.lab.train.workers import Pack

LAYOUT = Layout(24, 8)


class Plan:
    layout = LAYOUT


class InProcessPool:
    """Packs filled in this process."""

    plan = Plan()

    def __init__(self, fails_after: int = 10**6) -> None:
        pairs = cycle([DrawnPair([5, 6, 7], [5, 7], (1,)), DrawnPair([9], [9, 9], (2,))])
        self._packer = Packer(LAYOUT, iter(pairs))
        self._numbers = np.zeros(LAYOUT.size, dtype=np.int32)
        self.taken, self.closed, self._fails_after = 0, False, fails_after

    def take(self) -> Pack:
        if self.taken >= self._fails_after:
            raise RuntimeError("no more")
        report = self._packer.fill(self._numbers)
        self.taken += 1
        return Pack(self.taken - 1, self._numbers, report)

    def close(self) -> None:
        self.closed = True


def load(pool: InProcessPool, packs=lambda number: 1, first: int = 0) -> BatchLoader:
    return BatchLoader(pool, torch.device("cpu"), packs, first)  # type: ignore[arg-type]


def test_several_packs_make_one_batch_whose_sentences_stay_apart():
    pool = InProcessPool()
    loader = load(pool, lambda number: 3)
    batch = loader.next()
    loader.close()
    assert batch.packs == 3 and sorted(batch.counters) == [0, 1, 2]
    assert batch.source.ids.shape == (72,) and batch.labels.shape == (72,)
    for side in (batch.source, batch.target):
        assert side.window == 8
        rows = side.segments.view(-1, side.window).tolist()
        assert len(rows) == 9 and all(row[0] == 1 for row in rows)


def test_the_batch_size_depends_on_the_number_of_the_pass():
    loader = load(InProcessPool(), lambda number: 1 if number < 7 else 2, first=6)
    assert [loader.next().packs for _ in range(3)] == [1, 2, 2]
    loader.close()


def test_a_failing_worker_pool_fails_the_training_thread():
    loader = load(InProcessPool(fails_after=1))
    loader.next()
    with pytest.raises(RuntimeError, match="no more"):
        loader.next()
    loader.close()


def test_closing_ends_the_thread_and_leaves_the_pool_open():
    pool = InProcessPool()
    loader = load(pool)
    loader.close()
    assert not pool.closed and not loader._thread.is_alive()


def test_weights_are_read_as_floats():
    row = np.zeros((1, LAYOUT.size), dtype=np.int32)
    Packer(LAYOUT, cycle([DrawnPair([5, 6], [5, 7], (1,))]), 2.5).fill(row[0])
    weights = unpack(torch.from_numpy(row), LAYOUT)[3]
    assert weights[:3].tolist() == [1.0, 2.5, 2.5]
