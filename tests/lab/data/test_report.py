from __future__ import annotations

from pathlib import Path

import pytest

from redraft.edits.edit import Kind
from redraft.lab.data.pair import Pair
from redraft.lab.data.report import Census, Operation, distance, draw_sample, plot, tabulate


@pytest.fixture
def censuses() -> tuple[Census, Census]:
    made, real = Census("made"), Census("real")
    made.add([Pair("She saw cat .", "She saw the cat ."), Pair("All is well .", "All is well .")])
    real.add([Pair("He go home .", "He goes home ."), Pair("She saw cat .", "She saw the cat .")])
    return made, real


def test_edits_are_counted_by_kind(censuses: tuple[Census, Census]) -> None:
    made, real = censuses
    assert (made.pairs, made.changed, made.words) == (2, 1, 9)
    assert made.share(Kind.ARTICLE, Operation.ADD) == 1.0
    assert real.share(Kind.ARTICLE, Operation.ADD) == 0.5


def test_the_table_names_both(censuses: tuple[Census, Census]) -> None:
    text = tabulate(*censuses)
    assert "made: 2 pairs, 50.0% with edits" in text
    assert any(line.split() == ["article", "add", "100.00", "50.00"] for line in text.splitlines())


def test_distance(censuses: tuple[Census, Census]) -> None:
    made, real = censuses
    assert distance(made, made) == 0
    assert distance(made, real) == pytest.approx(0.5)
    assert distance(Census("none"), Census("none")) == 0


def test_a_picture(censuses: tuple[Census, Census], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    plot(*censuses, tmp_path / "errors.png")
    assert (tmp_path / "errors.png").read_bytes().startswith(b"\x89PNG")


def test_a_sample_comes_from_the_whole() -> None:
    pairs = [Pair(str(number), "") for number in range(1000)]
    sample = draw_sample(iter(pairs), 100)
    assert len(set(sample)) == 100
    assert 300 < sum(int(pair.source) for pair in sample) / 100 < 700
    assert draw_sample(iter(pairs), 2000) == pairs
