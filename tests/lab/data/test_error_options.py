from __future__ import annotations

import random

import pytest

from redraft.lab.data.actions import Actions
from redraft.lab.data.error_options import ErrorOptions
from redraft.lab.data.table import ErrorTable, Family


@pytest.fixture
def options(table: ErrorTable) -> ErrorOptions:
    return ErrorOptions(table, Actions(table, random.Random(0).random))


@pytest.mark.parametrize(
    ("text", "families"),
    [
        ("1999", set()),
        ("x86", set()),
        (",", {Family.PUNCTUATION, Family.SPACING}),
        ("Jones", {Family.CASING, Family.SPELLING}),
        ("NASA", set()),
    ],
)
def test_numbers_marks_and_names_get_few_errors(options: ErrorOptions, text: str, families: set[Family]) -> None:
    assert {option.family for option in options.list_options(text, first=False)} == families


def test_a_known_word_gets_candidates_and_slips(options: ErrorOptions) -> None:
    found = {option.family for option in options.list_options("house", first=False)}
    assert {Family.NOUN_NUMBER, Family.CHOICE, Family.SPELLING, Family.ORDER} <= found
    assert Family.INSERTION not in found, "the table has no words to insert"
