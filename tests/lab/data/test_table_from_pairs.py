"""A made-up language: nothing may depend on knowing it."""

from __future__ import annotations

import pytest

from redraft.errors import InputError
from redraft.lab.data import table_from_pairs
from redraft.lab.data.noise import Noiser, NoiseRates
from redraft.lab.data.pair import Pair
from redraft.lab.data.table import ErrorTable, Family

PAIRS = [
    Pair("Кира лома ту сивака.", "Кира ломат ту сивака."),
    Pair("Мени дора, ту вешта.", "Мени дорат, ту вешта."),
    Pair("Ту сивака лома.", "Ту сивака ломат."),
    Pair("Кира са вешта.", "Кира ту вешта."),
    Pair("Кира са сивака.", "Кира ту сивака."),
    Pair("Мени сиваак дорат.", "Мени сивака дорат."),
    Pair("Мени дорат вешта", "Мени дорат, вешта."),
    Pair("Мени ситат, кира лома дора сита.", "Мени ситат, кира лома дора сита."),
    Pair("Са вешта ту сивака.", "Са вешта ту сивака."),
]


def build() -> ErrorTable:
    return table_from_pairs.build("xx", PAIRS * 3)


def wrongs(table: ErrorTable, right: str) -> dict[str, Family]:
    return {candidate.wrong: candidate.family for candidate in table.candidates.get(right, ())}


def test_words_that_are_taken_for_each_other() -> None:
    table = build()
    assert wrongs(table, "ту")["са"] is Family.FUNCTION
    assert wrongs(table, "ломат")["лома"] is Family.WORD_FORM


def test_endings_vary_in_words_without_seen_errors() -> None:
    assert wrongs(build(), "ситат") == {"сита": Family.WORD_FORM}


def test_misspellings_are_words_that_no_right_text_has() -> None:
    table = build()
    assert table.misspellings["сивака"] == (("сиваак", 3.0),)
    assert "сиваак" not in table.ranks


def test_the_mixture_is_the_one_that_was_seen() -> None:
    table = build()
    assert sum(table.shares.values()) == pytest.approx(1, abs=0.01)
    assert table.shares["word-form"] > table.shares["spelling"]
    assert 0 < table.rates["mean"] < 1
    assert NoiseRates.of(table).mean == table.rates["mean"]


def test_the_noise_draws_what_was_learnt() -> None:
    noiser = Noiser(build(), 1)
    made = {noiser.pair("Мени ломат ту сивака.", index).source for index in range(500)}
    assert "Мени лома ту сивака." in made
    assert "Мени ломат са сивака." in made


def test_pairs_without_corrections_teach_nothing() -> None:
    with pytest.raises(InputError, match="both sides of every pair are equal"):
        table_from_pairs.build("xx", [Pair("Кира.", "Кира.")])


@pytest.mark.parametrize(
    ("right", "wrong", "family"),
    [
        (["Кира"], ["кира"], Family.CASING),
        (["навіщо"], ["на", "віщо"], Family.SPACING),
        ([","], [], Family.PUNCTUATION),
        (["ту"], [], Family.FUNCTION),
        (["сивака"], ["кира"], Family.CHOICE),
    ],
)
def test_families(right: list[str], wrong: list[str], family: Family) -> None:
    counts = {"кира": 1, "сивака": 1, "навіщо": 1, "ту": 9}
    assert table_from_pairs.judge(right, wrong, counts, frozenset({"ту"})) is family
