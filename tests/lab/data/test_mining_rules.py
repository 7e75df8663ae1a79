from __future__ import annotations

import pytest

from redraft.lab.data.changed_passages import Passage
from redraft.lab.data.changed_sentences import compare
from redraft.lab.data.commit_message import Purpose
from redraft.lab.data.mining_rules import Dropped, Sure, Verdict, judge

COUNTS = {"receive": 9, "separate": 9, "of": 99, "the": 99, "from": 99, "form": 99, "whether": 9, "weather": 9}


def decide(source: str, target: str, purpose: Purpose) -> Sure | Dropped:
    (pair,) = compare(Passage(source, target, "markdown")).pairs
    verdict = judge(pair, purpose, COUNTS)
    return verdict.sure if isinstance(verdict, Verdict) else verdict


@pytest.mark.parametrize(
    ("source", "target", "with_message", "without"),
    [
        ("You will recieve the answer.", "You will receive the answer.", Sure.STRICT, Sure.STRICT),
        ("You will receive the answer.", "You will recieve the answer.", Dropped.CONTENT, Dropped.CONTENT),
        ("This is an part of the text.", "This is a part of the text.", Sure.STRICT, Sure.STRICT),
        ("This is a part of the text.", "This is an part of the text.", Sure.LOOSE, Dropped.CONTENT),
        ("You dont have to read the text.", "You don't have to read the text.", Sure.STRICT, Sure.STRICT),
        ("It shows the users name in the text.", "It shows the user's name in the text.", Sure.STRICT, Sure.LOOSE),
        ("Read the text form the file.", "Read the text from the file.", Sure.STRICT, Sure.LOOSE),
        ("She go to the office with us.", "She goes to the office with us.", Sure.STRICT, Sure.LOOSE),
        ("It depends of the size of the text.", "It depends on the size of the text.", Sure.STRICT, Sure.LOOSE),
        ("Read all of the text in it.", "Read all the text in it.", Sure.STRICT, Dropped.CONTENT),
        ("Put each part on it own line.", "Put each part on its own line.", Sure.STRICT, Sure.LOOSE),
        ("This helps in the text of it.", "This helps us in the text of it.", Sure.STRICT, Dropped.CONTENT),
        ("Part ofthe text is in the file.", "Part of the text is in the file.", Sure.STRICT, Sure.STRICT),
        ("We meet on monday in the office.", "We meet on Monday in the office.", Sure.STRICT, Sure.STRICT),
        ("You can not read the text.", "You can't read the text.", Dropped.STYLE, Dropped.STYLE),
        ("It is an Internet address of you.", "It is an internet address of you.", Dropped.STYLE, Dropped.STYLE),
        ("It has a, b and c in the text.", "It has a, b, and c in the text.", Sure.LOOSE, Dropped.STYLE),
        ("The text is – of course – long.", "The text is -- of course -- long.", Dropped.STYLE, Dropped.STYLE),
        ("The left part of it is the text.", "The right part of it is the text.", Dropped.CONTENT, Dropped.CONTENT),
        ("It has two parts of the text.", "It has three parts of the text.", Dropped.NUMBER, Dropped.NUMBER),
        ("Use Foobase for the data of it.", "Use Barbase for the data of it.", Dropped.NAME, Dropped.NAME),
        ("Open the file config.json of it.", "Open the file setup.json of it.", Dropped.CODE, Dropped.CODE),
        ("and the rest of it is small.", "and the rest of it are small.", Dropped.FRAGMENT, Dropped.FRAGMENT),
        ("Das ist ein guter Satz hier.", "Das ist ein gutter Satz hier.", Dropped.LANGUAGE, Dropped.LANGUAGE),
        ("He go home.", "He goes home.", Dropped.LENGTH, Dropped.LENGTH),
    ],
)
def test_edits(source: str, target: str, with_message: Sure | Dropped, without: Sure | Dropped) -> None:
    assert decide(source, target, Purpose.CORRECTION) is with_message
    assert decide(source, target, Purpose.UNKNOWN) is without


def test_a_commit_about_style_gives_obvious_corrections_only() -> None:
    assert decide("She go to the office with us.", "She goes to the office with us.", Purpose.STYLE) is Dropped.CONTENT
    assert decide("You will recieve the answer.", "You will receive the answer.", Purpose.STYLE) is Sure.STRICT
