from __future__ import annotations

import pytest

from redraft.edits.offensive import OFFENSIVE, adds_offensive_word

WORD = min(OFFENSIVE)


@pytest.mark.parametrize(
    ("old", "new", "adds"),
    [
        ("neigbor", "neighbor", False),
        ("xy", WORD, True),
        ("xy", f"a {WORD.upper()},", True),
        (WORD, f"the {WORD}", False),
        (WORD.capitalize(), WORD, False),
        ("", "", False),
    ],
)
def test_only_words_that_the_text_has_not_are_refused(old: str, new: str, adds: bool) -> None:
    assert adds_offensive_word(old, new) is adds


def test_ordinary_words_are_not_in_the_list() -> None:
    assert not OFFENSIVE & {"class", "assess", "cockpit", "scunthorpe", "analysis", "niggle", "chinks", "hello", "the"}
