from __future__ import annotations

import pytest

from redraft.lab.data.english_style import has_no_style
from redraft.lab.data.pair import Pair


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("The behaviour of this option is odd.", "The behavior of this option is odd."),
        ("It does not work here.", "It doesn't work here."),
        ("It isn’t there.", "It is not there."),
        ("The page will be shown next.", "The page is shown next."),
        ("This will help you.", "This helps you."),
        ("You'll see a list.", "You see a list."),
        ("It won't start.", "It doesn't start."),
        ("The file which you opened is gone.", "The file that you opened is gone."),
        ("Every user has his own page.", "Every user has their own page."),
        ("The option has been removed.", "The option is removed."),
        ("He recieve it and the behaviour is odd.", "He receives it and the behavior is odd."),
    ],
)
def test_house_style(source: str, target: str) -> None:
    assert not has_no_style(Pair(source, target))


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("He recieve it.", "He receives it."),
        ("It's name is long.", "Its name is long."),
        ("They was gone.", "They were gone."),
        ("It will shows a list.", "It will show a list."),
        ("It dont work.", "It doesn't work."),
        ("I saw a apple.", "I saw an apple."),
        ("We go to to the river.", "We go to the river."),
        ("I like it .", "I like it."),
        ("We have go home.", "We have gone home."),
    ],
)
def test_corrections(source: str, target: str) -> None:
    assert has_no_style(Pair(source, target))
