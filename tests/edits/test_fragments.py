from __future__ import annotations

import pytest

from redraft.edits.fragments import is_fragment


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("", True),
        ("Stop!", True),
        ("Hotel near beach", True),
        ("the old red brick school house", True),
        ("the old red brick school house roof", False),
        ("She go home", False),
        ("the old red brick school house.", False),
    ],
)
def test_a_few_words_without_verb_and_full_stop_are_a_fragment(sentence: str, expected: bool) -> None:
    assert is_fragment(sentence) is expected


@pytest.mark.parametrize("words", range(2, 20))
def test_a_long_line_is_no_fragment(words: int) -> None:
    assert is_fragment(" ".join(["cat"] * words)) is (words <= 6)
