from __future__ import annotations

from itertools import count, islice, pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from redraft.edits.align import Change, _common_head, _Row, align
from redraft.edits.edit import Edit, apply
from redraft.edits.m2 import M2Sentence, read
from redraft.text.span import Span

ANY_TEXT = st.text(st.characters(exclude_categories=())) | st.text(
    "aAb. ,'-\t\r\n\u00a0\u200b\u200d\u0301👍🏽🇺🇦中我אبе1@/", max_size=25
)


def changes(source: str, target: str) -> list[tuple[str, str]]:
    return [(change.source.of(source), change.target.of(target)) for change in align(source, target)]


def remade(source: str, target: str) -> str:
    return apply(
        source,
        [Edit(change.source, change.source.of(source), change.target.of(target)) for change in align(source, target)],
    )


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("Same text.", "Same text.", []),
        ("She go to school every days.", "She goes to school every day.", [("go", "goes"), ("days", "day")]),
        ("in morning we", "in the morning we", [("", "the ")]),
        ("I saw cat.", "I saw the cat.", [("", "the ")]),
        ("I like the the dog", "I like the dog", [("the ", "")]),
        ("He came late again.", "He came late.", [(" again", "")]),
        ("Well he came", "He came", [("Well he", "He")]),
        # a comma in place of a conjunction is one change: half of it would be wrong
        ("It is quick but it is dear.", "It is quick, it is dear.", [(" but", ",")]),
        ("It is quick, it is dear.", "It is quick and it is dear.", [(",", " and")]),
        # a misspelling, and a word that is missing beside it
        (
            "I was unsuccesful are able",
            "I was unsuccessful and are able",
            [("unsuccesful", "unsuccessful"), ("", " and")],
        ),
        ("try not implove it", "try not to improve it", [("", "to "), ("implove", "improve")]),
        ("However I left", "However, I left.", [("", ","), ("", ".")]),
        ("I left , then", "I left, then", [(" ", "")]),
        ("I left,then", "I left, then", [("", " ")]),
        ("two  spaces", "two spaces", [(" ", "")]),
        ("every day life", "everyday life", [("every day", "everyday")]),
        ("now a days", "nowadays", [("now a days", "nowadays")]),
        ("alot of it", "a lot of it", [("alot", "a lot")]),
        ("a well known man", "a well-known man", [("well known", "well-known")]),
        ("He always is late.", "He is always late.", [("always is", "is always")]),
        ("I came, we left", "I came. We left", [(", we", ". We")]),
        ("I enjoy to swim.", "I enjoy swimming.", [("to swim", "swimming")]),
        ("it rained all day", "it has rained all day", [("", "has ")]),
        ("I look it for", "I look for it", [("it for", "for it")]),
        ("pick up him", "pick him up", [("up him", "him up")]),
        ("he turn it of", "he turns it off", [("turn", "turns"), ("of", "off")]),
        ("south park", "South Park", [("south", "South"), ("park", "Park")]),
        ("my friend car", "my friend's car", [("friend", "friend's")]),
        ("informations", "information 👍", [("informations", "information"), ("", " 👍")]),
        ("我喜歡吃", "我很喜歡吃", [("", "很")]),
        ("", "New text", [("", "New text")]),
        ("Old text", "", [("Old text", "")]),
        ("a\r\nb", "a\r\nX b", [("", "X ")]),
    ],
)
def test_changes(source: str, target: str, expected: list[tuple[str, str]]):
    assert changes(source, target) == expected


def test_spans_count_code_points_of_either_text():
    assert align("👍🏽 He go", "👍🏽 He goes") == [Change(Span(6, 8), Span(6, 10))]


@settings(deadline=None)
@given(ANY_TEXT, ANY_TEXT)
def test_making_the_changes_gives_the_target(source: str, target: str):
    assert remade(source, target) == target


@settings(deadline=None)
@given(ANY_TEXT, st.data())
def test_making_the_changes_gives_a_target_like_the_source(source: str, data: st.DataObject):
    places = sorted(data.draw(st.lists(st.integers(0, len(source)), min_size=2, max_size=2)))
    target = source[: places[0]] + data.draw(st.text("a ,👍\u0301中\n", max_size=3)) + source[places[1] :]
    assert remade(source, target) == target


@settings(deadline=None)
@given(ANY_TEXT, ANY_TEXT)
def test_changes_are_in_order_and_change_something(source: str, target: str):
    found = align(source, target)
    assert all(change.source.of(source) != change.target.of(target) for change in found)
    for left, right in pairwise(found):
        assert left.source.end <= right.source.start
        assert left.target.end <= right.target.start


@settings(deadline=None)
@given(st.lists(st.sampled_from(["go", "goes", "the", "cat", "cats", "a"]), max_size=9), st.data())
def test_changes_never_cut_a_word(row: list[str], data: st.DataObject):
    target_row = data.draw(st.permutations([*row, "went"]))
    source, target = " ".join(row), " ".join(target_row)
    for change in align(source, target):
        assert {*change.source.of(source).split()} <= {*row}
        assert {*change.target.of(target).split()} <= {*target_row}


def test_a_long_text_with_nothing_in_common():
    source, target = " ".join(f"a{k}" for k in range(1500)), " ".join(f"b{k}" for k in range(1500))
    assert remade(source, target) == target


def token_changes(sentence: M2Sentence) -> set[tuple[int, int, tuple[str, ...]]]:
    """The changes to the corrected sentence, counted in tokens as annotators count."""
    source, target = " ".join(sentence.tokens), " ".join(sentence.corrected())
    found = set()
    for change in align(source, target):
        start = len(source[: change.source.start].split())
        length = len(change.source.of(source).split())
        found.add((start, start + length, tuple(change.target.of(target).split())))
    return found


def test_finds_the_spans_that_annotators_chose(shared_data: Path):
    gold_count = found_count = 0
    for level in "ABC":
        for sentence in islice(read(shared_data / "en" / "pairs" / f"wi.{level}.train.m2.xz"), 0, 4000, 10):
            gold = {
                (edit.start, edit.end, tuple(edit.corrections[0].split()))
                for edit in sentence.annotations.get(0, ())
                if tuple(edit.corrections[0].split()) != sentence.tokens[edit.start : edit.end]
            }
            gold_count += len(gold)
            found_count += len(gold & token_changes(sentence))
    assert gold_count > 1000
    assert found_count / gold_count > 0.85


@given(ANY_TEXT, ANY_TEXT)
def test_the_common_head_ends_behind_the_last_white_space_that_both_texts_begin_with(source, target):
    ends = [end for end in range(1, len(source) + 1) if target.startswith(source[:end]) and source[end - 1].isspace()]
    assert _common_head(source, target) == max(ends, default=0)


@given(st.lists(st.sampled_from(["go", "goes", "the", "cat", "a"]), max_size=9), st.data())
def test_equal_words_with_equal_spaces_are_passed_over(words, data):
    spaces = st.sampled_from([" ", "  ", "\n"])
    source = "".join(word + data.draw(spaces) for word in words)
    target = "".join(word + data.draw(spaces) for word in words if word != "a")
    found = align(source, target)
    numbers = count()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_Row, "part", lambda *_: str(next(numbers)))  # nothing is equal: all white space is compared
        assert align(source, target) == found
