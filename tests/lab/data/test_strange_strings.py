from __future__ import annotations

import random

from redraft.lab.data.strange_strings import StrangeStrings


def make_many(words: list[str]) -> list[str]:
    strings = StrangeStrings(words, random.Random(0).random)
    return [strings.make() for _ in range(500)]


def test_strings_have_no_white_space_and_differ() -> None:
    made = make_many(["open", "file", "count"])
    assert all(string and not any(map(str.isspace, string)) for string in made)
    assert len(set(made)) > 250


def test_each_kind_comes_up() -> None:
    made = make_many(["open", "file", "count"])
    for part in ("_", "@", "https://", "()", ".py", "#", "-"):
        assert any(part in string for string in made), part
    assert any(string.istitle() and string.isalpha() for string in made)


def test_a_table_without_words_will_do() -> None:
    assert make_many([])
