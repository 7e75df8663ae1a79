from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redraft.errors import ModelError
from redraft.tokens.tokenizer import SPECIALS, Tokenizer

SENTENCES = ["The cat sat on the mat, didn't it?", "Many a café serves naïve coffee.", "我爱北京。", "你好吗？"]
BYTES = Tokenizer.train_bytes(SENTENCES, 300)
CHARACTERS = Tokenizer.train_characters(SENTENCES, 300)
ODD = ["👩‍👩‍👧 e\u0301 <eos>", "<pad><bos>", "שלום\r\n\t x", "龘 Zürich 12,345", " a"]
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


@pytest.mark.parametrize("tokenizer", [BYTES, CHARACTERS], ids=["bytes", "characters"])
@given(
    text=st.one_of(
        texts, st.sampled_from(["👩‍👩‍👧 e\u0301 <eos>", "<pad><bos>", "שלום\r\n\t x", "龘 Zürich 12,345", " a"])
    )
)
def test_any_text_comes_back_exactly(tokenizer, text):
    ids = tokenizer.encode(text)
    assert tokenizer.decode(ids) == text
    assert all(index >= len(SPECIALS) for index in ids)
    assert tokenizer.encode_batch([text, "", text]) == [ids, [], ids]


@pytest.mark.parametrize("tokenizer", [BYTES, CHARACTERS], ids=["bytes", "characters"])
@given(text=texts)
def test_pieces_cover_the_text_in_order(tokenizer, text):
    pieces = tokenizer.pieces(tokenizer.encode(text))
    assert pieces.text == text
    if not text:
        return
    assert pieces.starts[0] == 0
    assert pieces.ends[-1] == len(text)
    for end, start in zip(pieces.ends, pieces.starts[1:], strict=False):
        assert end - 1 <= start <= end


@given(ids=st.lists(st.integers(0, BYTES.size - 1), max_size=20))
def test_ids_that_are_no_text_still_decode(ids):
    pieces = BYTES.pieces(ids)
    assert pieces.text == BYTES.decode(ids)
    assert all(0 <= start <= end <= len(pieces.text) for start, end in zip(pieces.starts, pieces.ends, strict=True))


def test_a_word_has_the_same_token_at_the_start_and_inside_a_sentence():
    assert BYTES.encode("the mat")[0] in BYTES.encode("on the mat")


def test_each_digit_is_a_token():
    assert len(BYTES.encode("2024")) == 5


def test_words_marks_and_digits_begin_words():
    starts = [BYTES.starts_word[index] for index in BYTES.encode("The zyx, 1.")]
    texts = [BYTES.text_of(index) for index in BYTES.encode("The zyx, 1.")]
    assert dict(zip(texts, starts, strict=True))[","]
    assert not dict(zip(texts, starts, strict=True))["x"]
    assert starts[0]


@pytest.mark.parametrize("tokenizer", [BYTES, CHARACTERS], ids=["bytes", "characters"])
def test_a_saved_tokenizer_is_the_same(tokenizer, tmp_path):
    tokenizer.save(tmp_path / "tokenizer.json")
    loaded = Tokenizer.load(tmp_path / "tokenizer.json")
    assert loaded.encode("The 北京 café") == tokenizer.encode("The 北京 café")
    assert loaded.size == tokenizer.size


@pytest.mark.parametrize("content", ["", "{}", '{"model": 1}'])
def test_a_damaged_file_is_refused(tmp_path, content):
    (tmp_path / "tokenizer.json").write_text(content)
    with pytest.raises(ModelError, match=r"tokenizer\.json"):
        Tokenizer.load(tmp_path / "tokenizer.json")
    with pytest.raises(ModelError):
        Tokenizer.load(tmp_path / "none.json")


def test_characters_are_kept_by_frequency():
    tokenizer = Tokenizer.train_characters(["aaab"], 3 + 256 + 1)
    assert len(tokenizer.encode("a")) == 1
    assert tokenizer.encode("b") != tokenizer.encode("a")
    assert tokenizer.decode(tokenizer.encode("ab")) == "ab"


def test_the_kind_of_a_tokenizer():
    assert CHARACTERS.by_character
    assert not BYTES.by_character


@given(st.text("abcdT '.,1", max_size=20))
def test_a_piece_of_ascii_ends_where_the_text_up_to_it_ends(text):
    ids = BYTES.encode(text)
    pieces = BYTES.pieces(ids)
    assert pieces.ends == [len(BYTES.decode(ids[: count + 1])) for count in range(len(ids))]
    assert pieces.starts == [0, *pieces.ends][:-1]
