from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from redraft.text.words import split_words, word_set, words

ANY_TEXT = st.text(st.characters(exclude_categories=())) | st.text("ab1.,-'’@#/:% \n\t👍🏽\u200d\u0301中我。\ud800")


def split(text: str) -> list[str]:
    return [span.of(text) for span in words(text)]


@pytest.mark.parametrize(
    "word",
    [
        *("don't", "she's", "I’ll", "l'homme", "well-known", "mother-in-law", "O'Neill's", "snake_case"),
        *("1,000.50", "3:45", "12/05/2024", "50%", "v1.2.3", "3.5km", "2-year-old", "COVID-19", "1990s", "20°"),
        *("https://a.org/b?c=1", "www.a.org", "a.b@c.org", "@ann", "#tag", "#cafe\u0301", "e.g.", "U.S.A."),
        *("👍🏽", "🇺🇦", "👩‍👩‍👧‍👦", "1️⃣", "cafe\u0301", "नमस्ते", "привет", "한국어", "wo\u200brd", "...", "--"),
    ],
)
def test_one_word(word: str):
    assert split(word) == [word]
    assert split(f"a {word} b") == ["a", word, "b"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Well, yes.", ["Well", ",", "yes", "."]),
        ("(a)!", ["(", "a", ")", "!"]),
        ("end.Next", ["end", ".", "Next"]),
        ("我喜欢。", ["我", "喜", "欢", "。"]),
        ("ひら", ["ひ", "ら"]),
        ("か\u3099な", ["か\u3099", "な"]),
        ("'hello'", ["'", "hello", "'"]),
        ("🇺🇦🇬🇧", ["🇺🇦", "🇬🇧"]),
        ("it 's n't", ["it", "'s", "n't"]),
        ("a\u00a0b\r\nc", ["a", "b", "c"]),
        ("x\x00y", ["x", "\x00", "y"]),
        ("", []),
        (" \n", []),
    ],
)
def test_several_words(text: str, expected: list[str]):
    assert split(text) == expected


@settings(deadline=None)
@given(ANY_TEXT)
def test_words_hold_every_character_but_white_space_once_and_in_order(text: str):
    spans = words(text)
    assert "".join(split(text)) == "".join(text.split())
    assert all(span for span in spans)
    assert all(left.end <= right.start for left, right in pairwise(spans))
    assert not any(character.isspace() for word in split(text) for character in word)


@settings(deadline=None)
@given(st.lists(ANY_TEXT.map(lambda text: "".join(text.split())), max_size=4))
def test_words_do_not_depend_on_their_neighbours(chunks: list[str]):
    assert split(" ".join(chunks)) == [word for chunk in chunks for word in split(chunk)]


@pytest.mark.parametrize(
    "unit", ["a", "a.", ".", "@", "a@", "http://.", "1,", "a-", "#a", "'", "www.", "x@a.", "e.g.", "a.com:", "👩‍"]
)
def test_a_long_run_is_read_in_one_pass(unit: str):
    # Were it quadratic, this would take minutes.
    text = unit * 100_000
    assert "".join(split(text)) == text


def test_a_set_from_a_list():
    assert word_set("a b  c\na") == {"a", "b", "c"}


@given(ANY_TEXT)
def test_split_words_are_the_words(text):
    assert split_words(text) == [span.of(text) for span in words(text)]
