from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redraft.edits.letter_distance import letter_distance

words = st.text("abc", max_size=8)


@pytest.mark.parametrize(
    ("one", "other", "distance"),
    [
        ("", "", 0),
        ("", "word", 4),
        ("sibblings", "siblings", 1),
        ("recieve", "receive", 1),
        ("alenating", "alienating", 1),
        ("sphears", "spheres", 2),
        ("fikund", "found", 2),
        ("abc", "ca", 3),
    ],
)
def test_slips_are_counted(one: str, other: str, distance: int) -> None:
    assert letter_distance(one, other) == letter_distance(other, one) == distance


@given(words, words)
def test_the_distance_is_that_of_the_definition(one: str, other: str) -> None:
    assert letter_distance(one, other) == _by_definition(one, other)


def _by_definition(one: str, other: str) -> int:
    if not one or not other:
        return len(one) + len(other)
    found = [
        _by_definition(one[:-1], other) + 1,
        _by_definition(one, other[:-1]) + 1,
        _by_definition(one[:-1], other[:-1]) + (one[-1] != other[-1]),
    ]
    if len(one) > 1 and len(other) > 1 and one[-1] == other[-2] and one[-2] == other[-1]:
        found.append(_by_definition(one[:-2], other[:-2]) + 1)
    return min(found)
