"""The cache of words: encoding with it gives what encoding whole sentences gives."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redraft.tokens import word_cache
from redraft.tokens.tokenizer import Tokenizer
from redraft.tokens.word_cache import LONGEST_WORD, WordCache

TOKENIZER = Tokenizer.train_bytes(["The cat sat on the mat, didn't it?", "Many a café serves naïve coffee."], 300)
ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"])) | st.text("ab1 ,.'’é中👍\u0301\u00a0\t\n\x1f", max_size=30)


class CountedEncoder:
    """Encodes a text as the numbers of its characters, and lists the texts it was given."""

    def __init__(self) -> None:
        self.given: list[str] = []

    def __call__(self, text: str) -> list[int]:
        self.given.append(text)
        return list(map(ord, text.replace(" ", "")))


@given(st.lists(ANY_TEXT, max_size=4))
def test_ids_are_those_of_whole_sentences(texts: list[str]) -> None:
    whole = [TOKENIZER.encode_whole(text) for text in texts]
    assert [TOKENIZER.encode(text) for text in texts] == whole
    assert TOKENIZER.encode_batch(texts) == whole


def test_a_word_is_encoded_once() -> None:
    encode = CountedEncoder()
    cache = WordCache(encode)
    assert cache.encode("on and on") == [*map(ord, "onandon")]
    assert cache.encode("and on") == [*map(ord, "andon")]
    assert encode.given == ["on", "and"]


def test_the_ids_of_a_sentence_are_the_callers_own() -> None:
    cache = WordCache(CountedEncoder())
    cache.encode("on").append(0)
    assert cache.encode("on") == [*map(ord, "on")]


def test_the_cache_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_cache, "MOST_WORDS", 2)
    encode = CountedEncoder()
    cache = WordCache(encode)
    cache.encode("a b")
    cache.encode("c")  # the cache is full: it begins anew
    assert cache.encode("c a") == [ord("c"), ord("a")]
    assert encode.given == ["a", "b", "c", "a"]


def test_a_full_cache_may_take_no_more_words() -> None:
    encode = CountedEncoder()
    cache = WordCache(encode, 2, renews=False)
    assert cache.encode("a b c a c") == [*map(ord, "abcac")]
    assert encode.given == ["a", "b", "c", "c"]


def test_long_words_are_not_cached() -> None:
    encode = CountedEncoder()
    cache = WordCache(encode)
    longest, longer = "a" * LONGEST_WORD, "a" * (LONGEST_WORD + 1)
    for word in (longest, longest, longer, longer):
        cache.encode(word)
    assert encode.given == [longest, longer, longer]


def test_several_spaces_are_encoded_with_their_sentence() -> None:
    encode = CountedEncoder()
    WordCache(encode).encode("a  b")
    assert encode.given == ["a  b"]
