from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from redraft.lab.data.pair import Pair
from redraft.lab.train.rare_strings import RareStrings
from redraft.tokens.tokenizer import Tokenizer

SENTENCE = "The cat goes to the sea every day."


@pytest.fixture
def rare(world: Path) -> RareStrings:
    return RareStrings(Tokenizer.load(world / "tokenizer.json"), seed=1)


def insert(rare: RareStrings, index: int, source: str = SENTENCE) -> Pair:
    return rare.insert(Pair(source, SENTENCE), index)


@pytest.mark.parametrize("source", [SENTENCE, "The cat go to sea every days .", "A dog", ""])
def test_the_words_stay_and_the_same_strings_come_between_on_both_sides(rare, source):
    for index in range(200):
        pair = insert(rare, index, source)
        added = []
        for before, after in ((source, pair.source), (SENTENCE, pair.target)):
            words, left = after.split(" "), iter(after.split(" "))
            assert all(word in left for word in before.split())  # in this order
            added.append(Counter(words) - Counter(before.split()))
        assert added[0] == added[1] and 1 <= added[0].total() <= 3


def test_the_same_index_gives_the_same_strings(rare):
    assert insert(rare, 7) == insert(rare, 7)
    assert len({insert(rare, index) for index in range(50)}) == 50


def test_every_printable_token_and_other_scripts_turn_up(rare):
    text = "".join(insert(rare, index).source for index in range(20_000))
    assert all(piece in text for piece in rare._marks)
    assert all(piece in text or piece[0].upper() + piece[1:] in text for piece in rare._words)
    assert any("\u4e00" <= character <= "\u9fbf" for character in text)
    assert "\ufffd" not in text


def test_between_characters_of_a_language_without_spaces():
    rare = RareStrings(Tokenizer.train_characters(["他在家学习中文。"], 300), seed=1)
    pairs = [rare.insert(Pair("他再家学习中文。", "他在家学习中文。"), index) for index in range(100)]
    assert not any(" " in pair.target for pair in pairs)
    assert len({pair.target.find("。") for pair in pairs}) > 5
    for pair in pairs:
        left = iter(pair.target)
        assert all(character in left for character in "他在家学习中文。")
