from __future__ import annotations

from pathlib import Path

from redraft.edits import m2
from redraft.lab.data.dev_set import find_edits, hold_out, write_gold
from redraft.lab.data.pair import Pair


def test_the_last_pairs_and_all_like_them_are_held_out() -> None:
    pairs = [Pair("a b", "a c"), Pair("D e", "D e"), Pair("f g", "f h"), Pair("d e.", "D e.")]
    parts = hold_out(pairs, 1)
    assert parts.dev == [Pair("d e.", "D e.")]
    assert parts.training == [Pair("a b", "a c"), Pair("f g", "f h")]
    assert len(hold_out(pairs, 100).dev) == 2, "half at most"


def test_gold_gives_the_target(tmp_path: Path) -> None:
    pairs = [Pair("він іде дому .", "Він іде додому."), Pair("добре", "добре"), Pair("так", "так , так")]
    for pair in pairs:
        sentence = find_edits(pair)
        assert " ".join(sentence.tokens) == pair.source
        assert " ".join(sentence.corrected()) == pair.target
    write_gold(tmp_path / "dev.m2", pairs)
    assert [" ".join(sentence.corrected()) for sentence in m2.read(tmp_path / "dev.m2")] == [p.target for p in pairs]
