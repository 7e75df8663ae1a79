from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from redraft.lab.evaluate.lattice import LatticeEdit, build
from redraft.lab.evaluate.wide_lattice import find_best

tokens = st.lists(st.sampled_from("abcd"), max_size=8)


def rebuild(source: list[str], target: list[str], edits_found: list[LatticeEdit]) -> list[str]:
    rebuilt: list[str] = []
    position = 0
    for edit in edits_found:
        rebuilt += source[position : edit.start[0]] + target[edit.start[1] : edit.end[1]]
        position = edit.end[0]
    return rebuilt + source[position:]


@given(tokens, tokens, st.integers(0, 3))
def test_the_edits_make_the_target(source: list[str], target: list[str], most: int) -> None:
    edits_found = find_best(build(source, target), target, [], most)
    assert rebuild(source, target, edits_found) == target
    assert bool(edits_found) == (source != target)


@given(tokens, tokens, st.data())
def test_gold_edits_leave_the_target_as_it_is(source: list[str], target: list[str], data: st.DataObject) -> None:
    gold = []
    for _ in range(data.draw(st.integers(0, 4))):
        start = data.draw(st.integers(0, len(source)))
        end = data.draw(st.integers(start, len(source)))
        gold.append((start, end, [" ".join(data.draw(st.lists(st.sampled_from("abcd"), max_size=2)))]))
    assert rebuild(source, target, find_best(build(source, target), target, gold, 2)) == target


def test_neighbouring_changes_are_one_edit() -> None:
    source, target = ["a", "b", "c", "d", "e"], ["a", "x", "y", "d", "e"]
    assert find_best(build(source, target), target, [], 2) == [LatticeEdit((1, 1), (3, 3))]


def test_gold_edits_split_an_edit() -> None:
    source, target = ["a", "b", "c", "d", "e"], ["a", "x", "y", "d", "e"]
    found = find_best(build(source, target), target, [(1, 2, ["x"])], 2)
    assert found == [LatticeEdit((1, 1), (2, 2)), LatticeEdit((2, 2), (3, 3))]


def test_a_gold_edit_that_changes_nothing_is_no_edit() -> None:
    source, target = ["a", "b", "c"], ["a", "b", "x"]
    assert find_best(build(source, target), target, [(0, 1, ["a"])], 2) == [LatticeEdit((2, 2), (3, 3))]
