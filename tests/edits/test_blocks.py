from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from redraft.edits.blocks import Block, differences

ROWS = st.lists(st.sampled_from(["the", "The", "a", "cat", "cats", "sat", ",", ".", "of", "是", "👍"]), max_size=12)


def compare(source: str, target: str) -> list[tuple[str, str]]:
    return [(" ".join(block.old), " ".join(block.new)) for block in differences(source.split(), target.split())]


def rebuild(left: list[str], right: list[str]) -> list[str]:
    row: list[str] = []
    position = 0
    for block in differences(left, right):
        assert list(block.old) == left[block.source_start : block.source_end]
        assert list(block.new) == right[block.target_start : block.target_end]
        row += left[position : block.source_start] + list(block.new)
        position = block.source_end
    return row + left[position:]


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("a b c", "a b c", []),
        ("I like cats", "I like dogs", [("cats", "dogs")]),
        ("he go there", "he goes there", [("go", "goes")]),
        ("he always is late", "he is always late", [("always is", "is always")]),
        ("the London big city", "the big city London", [("London big city", "big city London")]),
        ("I saw big the cat", "I saw the big cat", [("big the", "the big")]),
        ("in morning", "in the morning", [("", "the")]),
        ("the the cat", "the cat", [("the", "")]),
        ("went home , ate", "went home and ate", [(",", ""), ("", "and")]),
        ("he have eat it", "he ate it", [("have", ""), ("eat", "ate")]),
        ("on the bus", "by bus", [("on", "by"), ("the", "")]),
    ],
)
def test_the_cheapest_alignment_is_the_sensible_one(source: str, target: str, expected: list[tuple[str, str]]):
    assert sorted(compare(source, target)) == sorted(expected)


@settings(deadline=None)
@given(ROWS, ROWS)
def test_making_the_changes_gives_the_target(left: list[str], right: list[str]):
    assert rebuild(left, right) == right


@settings(deadline=None)
@given(ROWS)
def test_equal_rows_do_not_differ(row: list[str]):
    assert differences(row, row) == []


@pytest.mark.parametrize(("left", "right"), [(900, 900), (900, 70), (70, 900), (0, 500), (500, 0)])
def test_large_rows_without_a_common_word(left: int, right: int):
    source, target = [f"old{k}" for k in range(left)], [f"new{k}" for k in range(right)]
    assert rebuild(source, target) == target


def test_large_rows_are_cut_at_common_words():
    source = [f"word{k}" for k in range(3000)]
    target = [word if k % 100 else f"changed{k}" for k, word in enumerate(source)]
    del target[1234]
    assert rebuild(source, target) == target
    assert len(differences(source, target)) == 31


def test_joining_touching_blocks():
    first, second = Block(0, ("a",), 0, ()), Block(1, ("b",), 0, ("c",))
    assert first.touches(second)
    assert not second.touches(first)
    assert first.join(second) == Block(0, ("a", "b"), 0, ("c",))
    assert second.is_substitution
    assert not first.is_substitution
