from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redraft.text.capitals import is_in_capitals, lower


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("WE ARE REALY INTERESTING IN THIS SHOW.", True),
        ("3. THE USER MUST NOT COPY IT", True),
        ("ЦЕ Є ДУЖЕ ДОБРЕ", True),
        ("TERMS OF USE", False),
        ("A - 1 + B / 2 * C", False),
        ("A B C D E F IS", False),
        ("I AM A CAT", False),
        ("HE IS A DOCTOR", True),
        ("We ARE REALLY INTERESTED IN IT.", False),
        ("She goes to school every day.", False),
        ("今天天气很好", False),
        ("", False),
    ],
)
def test_a_sentence_in_capitals_has_four_words_and_no_small_letter(sentence: str, expected: bool) -> None:
    assert is_in_capitals(sentence) == expected


@pytest.mark.parametrize(
    ("sentence", "language", "expected"),
    [
        ("I THINK I'M LATE, SHE SAID.", "en", "I think I'm late, she said."),
        ("WHAT I KNOW: I-BEAMS, I.E. WI-FI", "en", "What I know: i-beams, i.e. wi-fi"),
        ("“YOU AND I,” SHE SAID.", "en", "“You and I,” she said."),
        ("I JA TAKŻE TAM BYŁEM I NIE", "pl", "I ja także tam byłem i nie"),
        ("İSTANBUL IS A BIG CITY", "en", "İstanbul is a big city"),
    ],
)
def test_small_letters_with_a_capital_at_the_start(sentence: str, language: str, expected: str) -> None:
    assert lower(sentence, language) == expected


@given(st.text())
def test_the_length_stays_the_same(text: str) -> None:
    assert len(lower(text.upper(), "en")) == len(text.upper())
