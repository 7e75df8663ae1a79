from __future__ import annotations

import random

import pytest

from redraft.lab.data.fragments import LONGEST, cut_fragment

SENTENCE = "In 1999, the old committee of the city (with three members) approved a new plan for schools."
WORDS = SENTENCE.split()
SMALL = frozenset(["in", "the", "of", "with", "a", "for"])


def cut_many(words: list[str]) -> set[str]:
    draw = random.Random(0).random
    return {" ".join(cut_fragment(words, SMALL, draw)) for _ in range(500)}


def test_words_titles_and_list_items_come_up() -> None:
    found = cut_many(WORDS)
    assert {"committee", "Committee", "Old Committee of the City", "New plan for schools", "new plan"} <= found


@pytest.mark.parametrize("fragment", sorted(cut_many(WORDS)))
def test_a_fragment_has_content_words_at_its_ends_and_no_punctuation(fragment: str) -> None:
    words = fragment.split()
    assert words[0].lower() not in SMALL
    assert words[-1].lower() not in SMALL
    assert len(words) <= LONGEST
    assert all(word.isalnum() for word in words)


def test_a_sentence_without_content_words_has_none() -> None:
    assert cut_many(["In", "the", "1999."]) == {""}
