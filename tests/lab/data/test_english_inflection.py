"""Tests of redraft/lab/data/inflection.py."""

from __future__ import annotations

import pytest

from redraft.lab.data.table import Family

pytest.importorskip("lemminflect")

from redraft.lab.data.english_inflection import Inflector

WORDS = (
    "cat cats child children go goes going went gone walk walks walking walked information advice quick quickly happy "
    "happier difference different big bigger biggest"
)
COUNTS = dict.fromkeys(WORDS.split(), 1000)


@pytest.fixture(scope="module")
def inflector() -> Inflector:
    return Inflector(COUNTS, frozenset({"information"}), frozenset({"the"}))


@pytest.mark.parametrize(
    ("word", "wrong", "family"),
    [
        ("cat", "cats", Family.NOUN_NUMBER),
        ("cats", "cat", Family.NOUN_NUMBER),
        ("children", "childs", Family.NOUN_NUMBER),
        ("information", "informations", Family.NOUN_NUMBER),
        ("information", "the information", Family.ARTICLE),
        ("goes", "go", Family.AGREEMENT),
        ("go", "going", Family.VERB_FORM),
        ("going", "to go", Family.VERB_FORM),
        ("went", "goed", Family.VERB_FORM),
        ("went", "gone", Family.VERB_FORM),
        ("gone", "went", Family.VERB_FORM),
        ("walked", "walk", Family.VERB_FORM),
        ("quickly", "quick", Family.WORD_FORM),
        ("happier", "more happy", Family.WORD_FORM),
        ("biggest", "most big", Family.WORD_FORM),
        ("difference", "different", Family.WORD_FORM),
    ],
)
def test_wrong_forms(inflector: Inflector, word: str, wrong: str, family: Family) -> None:
    assert any(found.wrong == wrong and found.family is family for found in inflector.candidates(word))


def test_no_candidate_is_the_word_itself(inflector: Inflector) -> None:
    assert all(found.wrong != word and found.rate > 0 for word in COUNTS for found in inflector.candidates(word))


def test_function_words_are_left_to_others(inflector: Inflector) -> None:
    assert not list(inflector.candidates("the"))


def test_unused_readings_are_left_out(inflector: Inflector) -> None:
    assert "VERB" not in inflector.lemmas("cat"), "`to cat` is in the dictionary, but not in the text"
    assert "VERB" in inflector.lemmas("walk")
