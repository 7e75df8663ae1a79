from __future__ import annotations

from collections import Counter
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from redraft.errors import RedraftError
from redraft.train.batches import Layout
from redraft.train.corpus import gather
from redraft.train.workers import Feed, FeedPlan, Stream, Tools, read_pairs


@pytest.fixture
def plan(world: Path, tmp_path: Path) -> FeedPlan:
    clean = gather([world / "clean.txt"], tmp_path / "clean", frozenset())
    pairs = gather([world / "pairs.tsv"], tmp_path / "pairs", frozenset())
    return FeedPlan(
        streams=(Stream("clean", clean.files, 0.75), Stream("pairs", pairs.files, 0.25)),
        layout=Layout(128, 64),
        lanes=4,
        seed=1,
        tokenizer=world / "tokenizer.json",
        errors=world / "errors.json.gz",
        changed_weight=1.0,
    )


def take(plan: FeedPlan, count: int, **options) -> list[tuple[int, bytes, tuple[int, ...]]]:
    feed = Feed(plan, **{"states": {}, "workers": 2} | options)
    try:
        units = (feed.take() for _ in range(count))
        return [(unit.lane, unit.numbers.tobytes(), unit.report.state) for unit in units]
    finally:
        feed.close()


def test_units_come_in_one_order_whatever_the_workers(plan):
    one = take(plan, 10, workers=1)
    assert one == take(plan, 10, workers=3)
    assert [lane for lane, _, _ in one] == [0, 1, 2, 3, 0, 1, 2, 3, 0, 1]


def test_a_feed_goes_on_where_another_stopped(plan):
    whole = take(plan, 11)
    states = {lane: state for lane, _, state in whole[:6]}
    assert take(plan, 5, states=states, first=6) == whole[6:]


def test_ranks_share_the_units_out(plan):
    whole = take(plan, 8)
    for rank in (0, 1):
        assert take(plan, 4, stride=2, rank=rank) == whole[rank::2]


def test_every_line_is_seen_once_before_any_is_seen_twice(plan):
    tools = Tools(plan)
    lines = 80
    seen = Counter(tools.draw(1, lane, taken)[1] for taken in range(lines // plan.lanes) for lane in range(plan.lanes))
    again = Counter(tools.draw(1, lane, lines // 4 + taken)[1] for taken in range(lines // 4) for lane in range(4))
    assert sum(seen.values()) == lines
    assert seen == again


def test_the_mix_has_the_shares_asked_for(plan):
    drawn = list(islice(read_pairs(plan, 0, plan.fresh_state, Tools(plan)), 100))
    count, clean, pairs = drawn[-1].state
    assert count == 100 and abs(clean - 75) <= 2 and clean + pairs == 100


def test_pairs_are_left_as_they_are_and_copies_are_copies(plan):
    source, target = Tools(plan).draw(1, 0, 0)
    assert source == target.replace("the", "teh")
    copies = FeedPlan(
        **{name: getattr(plan, name) for name in plan.__slots__}
        | {"streams": (Stream("copy", plan.streams[0].files, 1.0),)}
    )
    source, target = Tools(copies).draw(0, 0, 0)
    assert source == target


def test_a_worker_that_dies_is_reported(plan, monkeypatch, capfd):
    monkeypatch.setattr("redraft.train.workers._PATIENCE", 0.2)
    plan.streams[0].files[0].unlink()
    feed = Feed(plan, {}, workers=1)
    with pytest.raises(RedraftError, match="exit code 1"):
        feed.take()
    feed.close()
    assert "FileNotFoundError" in capfd.readouterr().err


def test_a_unit_holds_real_sentences(plan):
    feed = Feed(plan, {}, workers=1)
    unit = feed.take()
    assert unit.report.pairs == np.count_nonzero(plan.layout.field(unit.numbers, "target_ids") == 1)
    feed.close()
