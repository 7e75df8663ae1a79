from __future__ import annotations

import pytest

from redraft.edits.lost_words import loses_words


@pytest.mark.parametrize(
    ("before", "after", "rest", "expected"),
    [
        ("recieve teh mesage definately", "definitely", "I .", True),
        (" practice volleyball", "", "I been twelve years and because of it", True),
        ("employee caused that people", "employees", "towards those has to be", True),
        ("point of view", "opinion", "In my , it is", False),  # another word comes in its place
        ("need more man power", "needs manpower", "older and resources", False),
        (" all come from different that we", "", "that we all come from different backgrounds", False),  # repeated
        ("in the case that", "if", "But you want", False),
        (" would have been", "", "it nice", False),  # words that only build sentences
        ("date of", "", "the concert came", False),  # one word
        ("我们昨天一起", "", "去学校。", False),
    ],
)
def test_words_with_a_meaning_are_not_lost(before: str, after: str, rest: str, expected: bool) -> None:
    assert loses_words(before, after, rest) is expected
