from __future__ import annotations

import pytest

from redraft.edits.m2 import read
from redraft.lab.data.table import Family
from redraft.text.words import word_set

pytest.importorskip("lemminflect")

from redraft.lab.data import english_table
from redraft.lab.data.english_table import EnglishSources, build, invert_m2, invert_pair, judge, rank
from redraft.lab.data.gold import GoldEdit
from redraft.lab.data.noise_rates import NoiseRates

KNOWN = dict.fromkeys(word_set("the cats cat go goes walk walking walked home house they big"), 1)


def test_m2_edits_are_turned_around() -> None:
    block = [
        "S i want go home , yes\n",
        "A 0 1|||R:ORTH|||I|||REQUIRED|||-NONE-|||0\n",
        "A 2 2|||M:VERB:FORM|||to|||REQUIRED|||-NONE-|||0\n",
        "A 4 5|||U:PUNCT||||||REQUIRED|||-NONE-|||0\n",
        "A 5 6|||UNK|||yes|||REQUIRED|||-NONE-|||0\n",
    ]
    (sentence,) = read(block)
    inverted = invert_m2(sentence)
    assert inverted.tokens == ("I", "want", "to", "go", "home", "yes")
    assert inverted.edits == (GoldEdit(2, 3, (), Family.VERB_FORM), GoldEdit(5, 5, (",",), Family.PUNCTUATION))


def test_pairs_are_turned_around() -> None:
    inverted = invert_pair("the cat goes on home", "The cats goes home", KNOWN)
    assert inverted.edits == (
        GoldEdit(1, 2, ("cat",), Family.NOUN_NUMBER),
        GoldEdit(3, 3, ("on",), Family.PREPOSITION),
    )


@pytest.mark.parametrize(
    ("right", "wrong", "family"),
    [
        (",", "", Family.PUNCTUATION),
        ("the", "a", Family.ARTICLE),
        ("in", "on", Family.PREPOSITION),
        ("they", "the", Family.SPELLING),
        ("house", "huose", Family.SPELLING),
        ("cats", "cat", Family.NOUN_NUMBER),
        ("walking", "walked", Family.VERB_FORM),
        ("every day", "everyday", Family.SPACING),
        ("big house", "house big", Family.ORDER),
        ("home", "house", Family.CHOICE),
        ("and", "there", Family.FUNCTION),
    ],
)
def test_families_are_judged_by_the_words(right: str, wrong: str, family: Family) -> None:
    assert judge(right, wrong, KNOWN) is family


def test_ranks_are_orders_of_magnitude(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(english_table, "RANK_LIMITS", (1, 2))
    assert rank({"the": 9, "Anna": 8, "cat": 5, "x1": 4, "dog": 2}) == {"the": 0, "cat": 1, "dog": 2}


def test_a_small_table() -> None:
    words = word_set("the cats cat went to go goes walk walks walking walked colour something some thing")
    counts = dict.fromkeys(words, 50)
    gold = [invert_pair("he went the cats", "he went to the cats", counts)] * 3
    table = build(
        EnglishSources(
            counts=counts,
            gold=gold,
            misspellings=[("something", "somthing", 1.0), ("colour", "color", 1.0), ("cat", "dog", 1.0)],
            confusions=[("walk", "cats"), ("walk", "zebra")],
            dialects=frozenset({("colour", "color"), ("color", "colour")}),
            uncountable=frozenset(),
            sample=["The cats went to something."],
        )
    )
    wrong = {key: {candidate.wrong for candidate in found} for key, found in table.candidates.items()}
    assert "" in wrong["to"]
    assert "went" in wrong["went to"]
    assert {"cat", "the cats"} <= wrong["cats"]
    assert "cats" in wrong["walk"]
    assert "zebra" not in wrong["walk"]
    assert table.misspellings == {"something": (("somthing", 1.0),)}, "no other dialect, no other word"
    assert table.splits["something"] == "some thing"
    assert table.density[Family.NOUN_NUMBER] > 0


def test_a_table_learns_superfluous_words_and_has_every_kind_of_noise() -> None:
    counts = dict.fromkeys(word_set("he went home the to of"), 50)
    gold = [invert_pair("he went to home", "he went home", counts)] * 6
    gold += [invert_pair("he not went home", "he went home", counts)] * 6
    table = build(
        EnglishSources(
            counts=counts,
            gold=gold,
            misspellings=[],
            confusions=[],
            dialects=frozenset(),
            uncountable=frozenset(),
            sample=["He went home."],
        )
    )
    assert table.insertions == {"to": 6.0}, "a word that changes the meaning is never inserted"
    assert "lose" in table.drills
    rates = NoiseRates.of(table)
    assert min(rates.two_slips, rates.chat, rates.fragments, rates.strange, rates.masked, rates.drills) > 0
    assert set(rates.shares) == set(Family)
