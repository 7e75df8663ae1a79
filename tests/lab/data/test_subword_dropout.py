from __future__ import annotations

import pytest

from redraft.lab.data.subword_dropout import SubwordDropout
from redraft.tokens.tokenizer import Tokenizer

SENTENCES = ["The children went to the restaurant.", "Nobody knows the restaurant – naïve, 1999."]


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer.train_bytes(SENTENCES * 5, 400)


@pytest.mark.parametrize("rate", [0.1, 0.5, 0.9])
def test_the_text_stays_the_same(tokenizer: Tokenizer, rate: float) -> None:
    dropout = SubwordDropout(tokenizer, rate)
    for sentence in SENTENCES:
        ids = tokenizer.encode(sentence)
        for index in range(100):
            assert tokenizer.decode(dropout.split(ids, index)) == sentence


def test_about_the_asked_share_of_tokens_is_split(tokenizer: Tokenizer) -> None:
    ids = tokenizer.encode(SENTENCES[0])
    words = [token for token in ids if len(tokenizer.text_of(token)) > 1]
    dropout = SubwordDropout(tokenizer, 0.2)
    extra = sum(len(dropout.split(ids, index)) - len(ids) for index in range(2000)) / 2000
    assert 0.15 * len(words) < extra < 0.4 * len(words)


def test_splits_depend_on_seed_and_index_alone(tokenizer: Tokenizer) -> None:
    ids = tokenizer.encode(SENTENCES[0])
    one, same, other = (SubwordDropout(tokenizer, 0.3, seed) for seed in (1, 1, 2))
    assert [one.split(ids, 5), one.split(ids, 6)] == [same.split(ids, index) for index in (5, 6)]
    assert any(one.split(ids, index) != other.split(ids, index) for index in range(20))


def test_a_rate_of_zero_changes_nothing(tokenizer: Tokenizer) -> None:
    ids = tokenizer.encode(SENTENCES[0])
    assert SubwordDropout(tokenizer, 0.0).split(ids, 0) == ids


def test_characters_are_never_split() -> None:
    tokenizer = Tokenizer.train_characters(["我在家"], 400)
    ids = tokenizer.encode("我在家")
    assert SubwordDropout(tokenizer, 0.9).split(ids, 0) == ids
