from __future__ import annotations

from redraft.lab.data.filters import Overlap
from redraft.lab.data.pair import Pair
from redraft.lab.data.pair_sifter import PairSifter, respell


def test_a_pair_of_an_earlier_source_is_a_duplicate() -> None:
    sift = PairSifter(Overlap(["This one is held out."]))
    assert sift("first", [Pair("a b", "a c"), Pair("", "x")]) == [Pair("a b", "a c")]
    assert sift("second", [Pair("a b", "a c"), Pair("this one IS held out", "x")]) == []
    assert "1 dropped: duplicate" in " ".join(sift.chains["second"].report().split())


def test_respelling() -> None:
    assert list(respell([Pair("He don't.", "He doesn't.")], tokenized=True)) == [Pair("He do n't .", "He does n't .")]
    assert list(respell([Pair("He do n't .", "No .")], tokenized=False)) == [Pair("He don't.", "No.")]
