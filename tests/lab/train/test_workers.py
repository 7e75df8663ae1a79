from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import islice, product
from pathlib import Path

import numpy as np
import pytest

from redraft.errors import RedraftError
from redraft.lab.train.batches import Layout
from redraft.lab.train.corpus import gather
from redraft.lab.train.workers import Feed, FeedPlan, Stream, Tools, read_pairs
from redraft.tokens.tokenizer import Tokenizer


@pytest.fixture
def plan(world: Path, tmp_path: Path) -> FeedPlan:
    clean = gather([world / "clean.txt"], tmp_path / "clean", frozenset())
    pairs = gather([world / "pairs.tsv"], tmp_path / "pairs", frozenset())
    return FeedPlan(
        streams=(
            Stream("clean", clean.files, 0.6),
            Stream("pairs", pairs.files, 0.25),
            Stream("shards", (world / "ids",), 0.15),
        ),
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


@pytest.mark.parametrize("stream", [1, 2], ids=["text", "shards"])
def test_every_line_is_seen_once_before_any_is_seen_twice(plan, stream):
    tools = Tools(plan)
    lines = 80

    def draw(first: int) -> Counter[tuple[int, ...]]:
        counts = range(first, first + lines // plan.lanes)
        return Counter(tuple(tools.draw(stream, lane, taken).target) for taken in counts for lane in range(plan.lanes))

    seen = draw(0)
    assert sum(seen.values()) == lines
    assert seen == draw(lines // plan.lanes)


def test_packed_ids_are_what_the_text_encodes_to(plan):
    tools = Tools(plan)

    def draw_all(stream: int) -> set[tuple[tuple[int, ...], tuple[int, ...]]]:
        places = product(range(plan.lanes), range(80 // plan.lanes))
        pairs = (tools.draw(stream, lane, taken) for lane, taken in places)
        return {(tuple(pair.source), tuple(pair.target)) for pair in pairs}

    assert draw_all(1) == draw_all(2)  # each stream is shuffled in its own way


def test_the_mix_has_the_shares_asked_for(plan):
    drawn = list(islice(read_pairs(plan, 0, plan.fresh_state, Tools(plan)), 100))
    count, clean, pairs, packed = drawn[-1].state
    assert count == 100 and abs(clean - 60) <= 2 and abs(pairs - 25) <= 2 and clean + pairs + packed == 100


def test_pairs_are_left_as_they_are_and_copies_are_copies(plan):
    decode = Tokenizer.load(plan.tokenizer).decode
    pair = Tools(plan).draw(1, 0, 0)
    assert decode(pair.source) == decode(pair.target).replace("the", "teh")
    copies = replace(plan, streams=(Stream("copy", plan.streams[0].files, 1.0),))
    pair = Tools(copies).draw(0, 0, 0)
    assert pair.source == pair.target


def test_a_worker_that_dies_is_reported(plan, monkeypatch, capfd):
    monkeypatch.setattr("redraft.lab.train.workers._PATIENCE", 0.2)
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
