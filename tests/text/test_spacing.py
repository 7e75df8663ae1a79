from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from redraft.text.spacing import Spaced, _is_normal, _normalize_runs, attaches_marks, join_marks, normalize
from redraft.text.span import Span

SPACED_TEXT = st.text("ab.中👍\u0301\u200b \t\n\r\u00a0\u2003\u2029\x1f\x85")


def fold(text: str) -> str:
    text = re.sub(r"(?<=中)(?:\s|👍)+(?=中)|[\s👍]*👍(?:\s|👍)*(?=\.)", "", text)
    return re.sub(r"(?:\s|👍)+", " ", text)


def test_white_space_between_chinese_characters_is_removed():
    text = "你 好，\n世界 Python  很好。"
    spaced = normalize(text)
    assert spaced.text == "你好，世界 Python 很好。"
    assert [spaced.restore(Span(place, place + 1)).of(text) for place in range(4)] == ["你", "好", "，", "世"]
    assert spaced.restore(Span(0, 2)).of(text) == "你 好"
    assert spaced.restore(Span(1, 1)) == Span(2, 2)


def test_emoji_are_folded_like_white_space_and_listed():
    text = "Thanks 👍🏽 for❤️all, friends 🎉🎉."
    spaced = normalize(text)
    assert spaced.text == "Thanks for all, friends."
    assert [hidden.of(text) for hidden in spaced.hidden] == [" 👍🏽 ", "❤️", " 🎉🎉"]
    assert spaced.restore(Span(0, 6)).of(text) == "Thanks"
    assert spaced.restore(Span(7, 14)).of(text) == "for❤️all"
    assert spaced.restore(Span(16, 23)).of(text) == "friends"
    assert spaced.restore(Span(23, 24)).of(text) == "."


def test_folds_white_space_of_every_sort():
    assert normalize(" a\r\n b\u00a0\u2003c\t").text == "a b c"
    assert normalize(" \n").text == ""
    assert normalize("").text == ""


def test_a_zero_width_space_is_not_white_space():
    assert normalize("a\u200bb").text == "a\u200bb"


def test_restores_spans():
    spaced = normalize("  one \n two  ")
    assert spaced.restore(Span(0, 3)) == Span(2, 5)
    assert spaced.restore(Span(3, 4)) == Span(5, 8)
    assert spaced.restore(Span(4, 7)) == Span(8, 11)
    assert spaced.restore(Span(0, 7)) == Span(2, 11)
    assert spaced.restore(Span(7, 7)) == Span(11, 11)


@settings(deadline=None)
@given(SPACED_TEXT)
def test_text_is_what_splitting_and_joining_gives(text: str):
    assert normalize(text).text == fold(re.sub(r"\A(?:\s|👍)+|(?:\s|👍)+\Z", "", text))


@settings(deadline=None)
@given(SPACED_TEXT, st.data())
def test_a_restored_span_covers_the_same_text(text: str, data: st.DataObject):
    spaced = normalize(text)
    places = st.integers(0, len(spaced.text))
    start, end, after, last = sorted(data.draw(st.tuples(places, places, places, places)))
    span, later = Span(start, end), Span(after, last)
    assert fold(spaced.restore(span).of(text)) == span.of(spaced.text)
    assert spaced.restore(span).end <= spaced.restore(later).start
    assert bool(span) == bool(spaced.restore(span))


def fields(spaced: Spaced) -> tuple[object, ...]:
    return spaced.text, list(spaced.starts), dict(spaced.gaps), list(spaced.hidden)


@given(SPACED_TEXT | st.text(st.characters(exclude_categories=())) | st.text("ab é©’“1#\u20e3中 👍"))
def test_text_that_is_normal_is_left_as_it_is(text):
    assert fields(normalize(text)) == fields(_normalize_runs(text))


def test_no_character_changes_in_a_text_that_is_taken_for_normal():
    for first in range(0, 0x30000, 64):
        for text in (f"a{chr(point)}b 1{chr(point)} {chr(point)}" for point in range(first, first + 64)):
            if _is_normal(text):
                assert _normalize_runs(text).text == text


def test_common_text_is_taken_for_normal():
    assert all(map(_is_normal, ["", "Plain words, 2 of them.", "“It’s a café – naïve…”"]))
    assert not any(map(_is_normal, [" a", "a ", "a  b", "a\tb", "a\u00a0b", "a👍", "中 文"]))


@pytest.mark.parametrize(
    ("text", "attaches"),
    [
        ("He goes, and she stays.", True),
        ("He goes , and she stays .", False),
        ("He goes, she stays .", False),
        ("Go", False),
    ],
)
def test_marks_follow_words_or_spaces(text: str, attaches: bool) -> None:
    assert attaches_marks(text) == attaches


@pytest.mark.parametrize(
    ("text", "joined"),
    [
        ("He goes , and she stays .", "He goes, and she stays."),
        ("Really ?", "Really?"),
        ("See .gitignore and : here, or 5 .5", "See .gitignore and: here, or 5 .5"),
        ("He goes.", "He goes."),
        ("", ""),
    ],
)
def test_spaces_before_marks_are_removed(text: str, joined: str) -> None:
    assert join_marks(text).text == joined


@given(st.text("ab ,."), st.data())
def test_a_span_of_joined_text_leads_back(text: str, data: st.DataObject) -> None:
    spaced = join_marks(text)
    start = data.draw(st.integers(0, len(spaced.text)))
    span = Span(start, data.draw(st.integers(start, len(spaced.text))))
    written, restored = span.of(spaced.text), spaced.restore(span).of(text)
    assert restored.replace(" ", "") == written.replace(" ", "")
    assert (restored[:1], restored[-1:]) == (written[:1], written[-1:])
