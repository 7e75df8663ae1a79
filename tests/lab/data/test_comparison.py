from __future__ import annotations

from pathlib import Path

import pytest

from redraft.edits.edit import Kind
from redraft.lab.data.comparison import EditCounts, Operation, distance, draw_sample, plot, tabulate
from redraft.lab.data.pair import Pair

Both = tuple[EditCounts, EditCounts]


@pytest.fixture
def both() -> Both:
    synthetic, annotated = EditCounts("synthetic"), EditCounts("annotated")
    synthetic.add([Pair("She saw cat .", "She saw the cat ."), Pair("All is well .", "All is well .")])
    annotated.add([Pair("He go home .", "He goes home ."), Pair("She saw cat .", "She saw the cat .")])
    return synthetic, annotated


def test_edits_are_counted_by_kind(both: Both) -> None:
    synthetic, annotated = both
    assert (synthetic.pairs, synthetic.changed, synthetic.words) == (2, 1, 9)
    assert synthetic.share(Kind.ARTICLE, Operation.ADD) == 1.0
    assert annotated.share(Kind.ARTICLE, Operation.ADD) == 0.5


def test_the_table_has_a_column_for_each(both: Both) -> None:
    synthetic, annotated = both
    text = tabulate(synthetic, [annotated, synthetic])
    assert "synthetic: 2 pairs, 50.0% with edits" in text
    assert "distance from annotated: 0.500" in text
    assert any(line.split() == ["article", "add", "100.00", "50.00", "100.00"] for line in text.splitlines())


def test_distance(both: Both) -> None:
    synthetic, annotated = both
    assert distance(synthetic, synthetic) == 0
    assert distance(synthetic, annotated) == pytest.approx(0.5)
    assert distance(EditCounts("none"), EditCounts("none")) == 0


def test_a_bar_chart(both: Both, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    plot(both[0], both[1:], tmp_path / "errors.png")
    assert (tmp_path / "errors.png").read_bytes().startswith(b"\x89PNG")


def test_a_sample_comes_from_the_whole() -> None:
    pairs = [Pair(str(number), "") for number in range(1000)]
    sample = draw_sample(iter(pairs), 100)
    assert len(set(sample)) == 100
    assert 300 < sum(int(pair.source) for pair in sample) / 100 < 700
    assert draw_sample(iter(pairs), 2000) == pairs
