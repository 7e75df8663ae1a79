from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from redraft.lab.data.misspelling import Misspeller
from redraft.lab.data.table import ErrorTable

SOME = 300


def misspell_many(table: ErrorTable, word: str, seed: int = 0) -> list[str]:
    misspeller = Misspeller(table, random.Random(seed).random)
    return [misspeller.misspell(word) for _ in range(SOME)]


def test_known_misspellings_come_up(table: ErrorTable) -> None:
    made = misspell_many(table, "receive")
    assert made.count("recieve") > made.count("receve") > 0


def test_a_slip_stays_near_the_word(table: ErrorTable) -> None:
    for wrong in misspell_many(table, "beautiful"):
        assert wrong[0] == "b"
        assert abs(len(wrong) - len("beautiful")) <= 3


def test_a_slip_seldom_gives_another_word(table: ErrorTable) -> None:
    assert sum(wrong in table.ranks for wrong in misspell_many(table, "house")) < SOME / 10


def test_many_different_slips(table: ErrorTable) -> None:
    assert len(set(misspell_many(table, "believe"))) > 20


@given(word=st.text(st.characters(categories=("Ll", "Lo")), min_size=1, max_size=20), seed=st.integers(0, 99))
def test_any_word_can_be_misspelt(table: ErrorTable, word: str, seed: int) -> None:
    wrong = Misspeller(table, random.Random(seed).random).misspell(word)
    assert wrong
    assert not wrong.isspace()
