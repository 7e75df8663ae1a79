from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from redraft.lab.tagger.words import bare, join_words, split_words


@given(st.text(alphabet=st.sampled_from("ab'’s_1.,-é\u0301 \t\n中"), max_size=30))
def test_joined_words_are_the_text_with_single_spaces(text):
    assert join_words(split_words(text)) == " ".join(text.split())


def test_words_have_the_spaces_before_them():
    assert split_words("We don't, well-known.") == [" We", " don't", ",", " well", "-", "known", "."]
    assert split_words("It 's ( not ) n't ...") == [" It", " 's", " (", " not", " )", " n't", " ..."]


@given(st.text(max_size=30))
def test_no_word_is_empty(text):
    assert all(map(bare, split_words(text)))
