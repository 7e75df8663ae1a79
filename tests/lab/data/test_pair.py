from __future__ import annotations

from redraft.lab.data.pair import Pair


def test_pairs_are_values() -> None:
    assert len({Pair("a", "b"), Pair("a", "b"), Pair("b", "a")}) == 2
