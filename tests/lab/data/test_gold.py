from __future__ import annotations

from redraft.lab.data.gold import PER, GoldCounts, GoldEdit, GoldSentence, similarity
from redraft.lab.data.table import Candidate, Family

NONE: frozenset[Family] = frozenset()
SMOOTHING = {1: 0.0, 2: 0.0, 3: 0.0}


def count(*sentences: GoldSentence, anchors_left: frozenset[Family] = NONE) -> dict[str, list[Candidate]]:
    counts = GoldCounts()
    for sentence in sentences:
        counts.add(sentence, anchors_left)
    return counts.invert(SMOOTHING, lambda right, wrong, family, count: True)


def sentence(text: str, *edits: GoldEdit) -> GoldSentence:
    return GoldSentence(tuple(text.split()), edits)


def test_rates_are_shares_of_the_right_phrase() -> None:
    found = count(sentence("He goes home", GoldEdit(1, 2, ("go",), Family.AGREEMENT)), sentence("she goes"))
    assert found["goes"] == [Candidate("go", Family.AGREEMENT, PER / 2)]
    assert found["he goes"] == [Candidate("he go", Family.AGREEMENT, PER)]
    assert found["goes home"] == [Candidate("go home", Family.AGREEMENT, PER)]


def test_a_missing_word_is_the_word_to_nothing() -> None:
    found = count(sentence("I saw the cat", GoldEdit(2, 3, (), Family.ARTICLE)))
    assert [candidate.wrong for candidate in found["the"]] == [""]
    assert [candidate.wrong for candidate in found["the cat"]] == ["cat"]


def test_a_superfluous_word_is_tied_to_a_neighbour() -> None:
    right = sentence("we discuss it", GoldEdit(2, 2, ("about",), Family.PREPOSITION))
    assert set(count(right)) == {"it"}
    found = count(right, anchors_left=frozenset({Family.PREPOSITION}))
    assert [candidate.wrong for candidate in found["discuss"]] == ["discuss about"]


def test_numbers_and_long_stretches_are_left_aside() -> None:
    assert not count(sentence("in 1999", GoldEdit(1, 2, ("1998",), Family.CHOICE)))
    assert not count(sentence("a b c d e", GoldEdit(0, 4, ("x",), Family.CHOICE)))


def test_similarity() -> None:
    assert similarity("form", "from") > similarity("form", "cat")
