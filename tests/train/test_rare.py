from __future__ import annotations

from pathlib import Path

import pytest

from redraft.tokens.tokenizer import Tokenizer
from redraft.train.rare import RareStrings

SENTENCE = "The cat goes to the sea every day."


@pytest.fixture
def rare(world: Path) -> RareStrings:
    return RareStrings(Tokenizer.load(world / "tokenizer.json"), seed=1)


def test_the_words_stay_and_strings_come_between(rare):
    for index in range(200):
        words = rare.insert(SENTENCE, index).split(" ")
        left = iter(words)
        assert all(word in left for word in SENTENCE.split())  # in this order
        assert 1 <= len(words) - len(SENTENCE.split()) <= 3


def test_the_same_index_gives_the_same_strings(rare):
    assert rare.insert(SENTENCE, 7) == rare.insert(SENTENCE, 7)
    assert len({rare.insert(SENTENCE, index) for index in range(50)}) == 50


def test_every_printable_token_and_other_scripts_turn_up(rare):
    text = "".join(rare.insert(SENTENCE, index) for index in range(20_000))
    assert all(piece in text for piece in rare._marks)
    assert all(piece in text or piece[0].upper() + piece[1:] in text for piece in rare._words)
    assert any("\u4e00" <= character <= "\u9fbf" for character in text)
    assert "\ufffd" not in text
