from __future__ import annotations

import pytest

from redraft.lab.data.english_drills import PHRASES, SETS, list_drills


def test_every_member_of_a_set_is_mistaken_for_the_others() -> None:
    drills = list_drills([])
    assert set(drills["their"].wrongs) == {"there", "they 're"}
    assert drills["they 're"].wrongs == ("there", "their")
    assert drills["more than"].wrongs == ("more then",)


def test_frequent_words_are_replaced_less_often() -> None:
    drills = list_drills(["They went to the house to see it."] * 10 + ["That is too much."])
    assert drills["to"].weight < drills["too"].weight < drills["lose"].weight
    assert drills["too much"].weight == pytest.approx(drills["too"].weight)


def test_no_set_has_a_right_word_among_the_wrong_ones() -> None:
    assert len(SETS) >= 60
    assert all(len(set(members.split("|"))) > 1 for members in SETS)
    for phrase, wrongs in PHRASES.items():
        assert len(phrase.split(" ")) == 2
        assert phrase not in wrongs.split("|")
