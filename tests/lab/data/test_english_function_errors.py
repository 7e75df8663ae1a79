from __future__ import annotations

from collections import defaultdict

import pytest

from redraft.lab.data.english_function_errors import list_function_errors
from redraft.lab.data.english_words import FUNCTION_WORDS, PUNCTUATION
from redraft.lab.data.table import Family

ERRORS = list(list_function_errors())


def test_no_word_is_an_error_of_itself() -> None:
    assert [right for right, candidate in ERRORS if candidate.wrong == right] == []


def test_no_wrong_form_is_listed_twice_in_a_family() -> None:
    keys = [(right, candidate.wrong, candidate.family) for right, candidate in ERRORS]
    assert len(set(keys)) == len(keys)


def test_a_form_that_is_listed_more_often_has_a_higher_rate() -> None:
    rates = {candidate.wrong: candidate.rate for right, candidate in ERRORS if right == "the"}
    assert rates[""] == pytest.approx(3 * rates["a"])


def test_every_grammar_family_has_errors() -> None:
    found = defaultdict(set)
    for right, candidate in ERRORS:
        found[candidate.family].add(right)
    expected = {
        *(Family.ARTICLE, Family.PREPOSITION, Family.PRONOUN, Family.AGREEMENT),
        *(Family.VERB, Family.FUNCTION, Family.PUNCTUATION),
    }
    assert set(found) == expected


def test_only_words_that_a_reader_can_restore_are_left_out() -> None:
    dropped = {right for right, candidate in ERRORS if not candidate.wrong}
    assert dropped <= FUNCTION_WORDS | PUNCTUATION
