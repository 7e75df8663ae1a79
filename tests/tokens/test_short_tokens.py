"""The same text in shorter tokens."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redraft.tokens.short_tokens import CUTS, cut_tokens
from redraft.tokens.tokenizer import Tokenizer

TOKENIZER = Tokenizer.train_bytes(["harmless harm less ha arm rm le es"] * 3, 330)


def texts(ids: list[int]) -> list[str]:
    return [TOKENIZER.text_of(index) for index in ids]


def test_a_word_is_cut_into_parts_of_the_given_lengths() -> None:
    ids = TOKENIZER.encode("harmless")
    assert texts(ids) == [" harmless"]
    assert texts(cut_tokens(TOKENIZER, ids, 1, 1)) == [" ", *"harmless"]
    assert texts(cut_tokens(TOKENIZER, ids, 5, 4)) == [" harm", "less"]


def test_parts_without_a_token_are_cut_into_letters() -> None:
    assert texts(cut_tokens(TOKENIZER, TOKENIZER.encode("zqle"), 3, 2)) == [" ", "z", "q", "le"]


def test_words_in_other_letters_keep_their_tokens() -> None:
    ids = TOKENIZER.encode("härmlos")
    assert cut_tokens(TOKENIZER, ids, 1, 1) == ids


def test_without_tokens_for_single_letters_a_word_keeps_its_tokens() -> None:
    class Words(Tokenizer):
        ids_by_text = {" harmless": 9, "harm": 10}  # type: ignore[assignment]  # noqa: RUF012

    ids = TOKENIZER.encode("harmless")
    assert cut_tokens(Words(TOKENIZER._inner), ids, 1, 1) == ids


@given(st.text("harmles' zq", min_size=1, max_size=20), st.sampled_from(CUTS))
def test_the_text_stays_the_same(text: str, cut: tuple[int, int]) -> None:
    ids = TOKENIZER.encode(text)
    assert TOKENIZER.decode(cut_tokens(TOKENIZER, ids, *cut)) == TOKENIZER.decode(ids)


@pytest.mark.parametrize("tokenizer", [TOKENIZER, Tokenizer.train_characters(["abc"], 300)])
def test_tokens_are_found_by_their_text(tokenizer: Tokenizer) -> None:
    assert all(tokenizer.text_of(index) == text for text, index in tokenizer.ids_by_text.items())
    assert "a" in tokenizer.ids_by_text and "<eos>" not in tokenizer.ids_by_text
