from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import islice, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from redraft.errors import RedraftError
from redraft.lab.train.corpus import index_files
from redraft.lab.train.packing import Layout
from redraft.lab.train.workers import MixSource, PairReader, WorkerPlan, WorkerPool, draw_pairs
from redraft.tokens.tokenizer import Tokenizer


@pytest.fixture
def plan(world: Path, tmp_path: Path) -> WorkerPlan:
    clean = index_files([world / "clean.txt"], tmp_path / "clean", frozenset())
    pairs = index_files([world / "pairs.tsv"], tmp_path / "pairs", frozenset())
    return WorkerPlan(
        sources=(
            MixSource("clean", clean.files, 0.6),
            MixSource("pairs", pairs.files, 0.25),
            MixSource("shards", (world / "ids",), 0.15),
        ),
        layout=Layout(128, 64),
        partitions=4,
        seed=1,
        tokenizer=world / "tokenizer.json",
        error_table=world / "errors.json.gz",
        changed_weight=1.0,
    )


def take(plan: WorkerPlan, count: int, **options) -> list[tuple[int, bytes, tuple[int, ...]]]:
    usual: dict[str, Any] = {"counters": {}, "workers": 2}
    pool = WorkerPool(plan, **usual | options)
    try:
        packs = (pool.take() for _ in range(count))
        return [(pack.partition, pack.numbers.tobytes(), pack.report.counters) for pack in packs]
    finally:
        pool.close()


def test_the_order_of_packs_does_not_depend_on_the_number_of_workers(plan):
    one = take(plan, 10, workers=1)
    assert one == take(plan, 10, workers=3)
    assert [partition for partition, _, _ in one] == [0, 1, 2, 3, 0, 1, 2, 3, 0, 1]


def test_a_pool_goes_on_where_another_stopped(plan):
    whole = take(plan, 11)
    counters = {partition: position for partition, _, position in whole[:6]}
    assert take(plan, 5, counters=counters, first=6) == whole[6:]


def test_each_process_takes_its_share_of_the_packs(plan):
    whole = take(plan, 8)
    for rank in (0, 1):
        assert take(plan, 4, stride=2, rank=rank) == whole[rank::2]


def test_further_columns_of_pairs_are_left_out(plan, tmp_path):
    file = tmp_path / "patterns.tsv"
    file.write_text("we discuss about it.\twe discuss it.\tdiscuss about\n")
    indexed = index_files([file], tmp_path / "patterns", frozenset())
    pair = PairReader(replace(plan, sources=(MixSource("pairs", indexed.files, 1.0),))).read(0, 0, 0)
    tokenizer = Tokenizer.load(plan.tokenizer)
    assert tokenizer.decode(pair.source) == "we discuss about it."
    assert tokenizer.decode(pair.target) == "we discuss it."


def test_reversed_pairs_have_their_sides_swapped(plan):
    forward, backward = PairReader(plan), PairReader(replace(plan, reversed=True))
    for source in range(3):
        drawn = [forward.read(source, 0, taken) for taken in range(20)]
        swapped = [backward.read(source, 0, taken) for taken in range(20)]
        assert [(pair.source, pair.target) for pair in swapped] == [(pair.target, pair.source) for pair in drawn]
        assert any(pair.source != pair.target for pair in drawn)


@pytest.mark.parametrize("source", [1, 2], ids=["text", "shards"])
def test_every_line_is_seen_once_before_any_is_seen_twice(plan, source):
    reader = PairReader(plan)
    lines = 80

    def draw(first: int) -> Counter[tuple[int, ...]]:
        counts = range(first, first + lines // plan.partitions)
        return Counter(
            tuple(reader.read(source, partition, taken).target)
            for taken in counts
            for partition in range(plan.partitions)
        )

    seen = draw(0)
    assert sum(seen.values()) == lines
    assert seen == draw(lines // plan.partitions)


def test_packed_ids_are_what_the_text_encodes_to(plan):
    reader = PairReader(plan)

    def draw_all(source: int) -> set[tuple[tuple[int, ...], tuple[int, ...]]]:
        places = product(range(plan.partitions), range(80 // plan.partitions))
        pairs = (reader.read(source, partition, taken) for partition, taken in places)
        return {(tuple(pair.source), tuple(pair.target)) for pair in pairs}

    assert draw_all(1) == draw_all(2)  # each source is shuffled in its own way


def test_the_mix_has_the_shares_asked_for(plan):
    drawn = list(islice(draw_pairs(plan, 0, plan.first_counters, PairReader(plan)), 100))
    count, clean, pairs, packed = drawn[-1].counters
    assert count == 100 and abs(clean - 60) <= 2 and abs(pairs - 25) <= 2 and clean + pairs + packed == 100


def test_pairs_are_left_as_they_are_and_copies_are_copies(plan):
    decode = Tokenizer.load(plan.tokenizer).decode
    pair = PairReader(plan).read(1, 0, 0)
    assert decode(pair.source) == decode(pair.target).replace("the", "teh")
    copies = replace(plan, sources=(MixSource("copy", plan.sources[0].files, 1.0),))
    pair = PairReader(copies).read(0, 0, 0)
    assert pair.source == pair.target


def test_a_worker_that_dies_is_reported(plan, monkeypatch, capfd):
    monkeypatch.setattr("redraft.lab.train.workers._TIMEOUT", 0.2)
    plan.sources[0].files[0].unlink()
    pool = WorkerPool(plan, {}, workers=1)
    with pytest.raises(RedraftError, match="exit code 1"):
        pool.take()
    pool.close()
    assert "FileNotFoundError" in capfd.readouterr().err


def test_a_pack_holds_the_reported_number_of_sentences(plan):
    pool = WorkerPool(plan, {}, workers=1)
    pack = pool.take()
    assert pack.report.pairs == np.count_nonzero(plan.layout.field(pack.numbers, "target_ids") == 1)
    pool.close()


def test_subword_dropout_splits_tokens_of_the_source_alone(plan):
    tokenizer = Tokenizer.load(plan.tokenizer)
    whole, split = PairReader(plan), PairReader(replace(plan, subword_dropout=0.5))
    longer = 0
    for taken in range(20):
        expected, pair = whole.read(1, 0, taken), split.read(1, 0, taken)
        assert list(pair.target) == list(expected.target)
        assert tokenizer.decode(pair.source) == tokenizer.decode(expected.source)
        longer += len(pair.source) > len(expected.source)
    assert longer > 10
    assert list(whole.read(2, 0, 0).source) == list(split.read(2, 0, 0).source), "packed ids stay as they are"
