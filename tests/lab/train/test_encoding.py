from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redraft.lab.train.encoding import cached_encoder
from redraft.tokens.tokenizer import Tokenizer

TEXT = ["The cat's 24 toys cost $3.50 each, don't they?", "“Naïve” cafés in São Paulo — 東京 too.", "a  b\u00a0c"]
BYTES = Tokenizer.train_bytes(TEXT * 3, 330)
CHARACTERS = Tokenizer.train_characters(TEXT, 300)


@pytest.mark.parametrize("tokenizer", [BYTES, CHARACTERS])
@given(words=st.lists(st.one_of(st.text(), st.sampled_from(["cat's", "24", "don't", "\u00a0", "é", "'ll", "7th"]))))
def test_encodes_exactly_as_the_tokenizer_does(tokenizer, words):
    encode = cached_encoder(tokenizer)
    text = " ".join(words)
    assert encode(text) == tokenizer.encode(text)
    assert encode(text) == tokenizer.encode(text)  # the second time from memory


def test_a_full_cache_still_encodes_right(monkeypatch):
    monkeypatch.setattr("redraft.lab.train.encoding.MAX_WORDS", 3)
    encode = cached_encoder(BYTES)
    for number in range(20):
        assert encode(f"word{number} cat") == BYTES.encode(f"word{number} cat")
