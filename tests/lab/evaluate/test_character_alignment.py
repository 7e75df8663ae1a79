from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from redraft.errors import InputError
from redraft.lab.evaluate.character_alignment import Step, align
from redraft.lab.evaluate.character_similarity import CharacterSimilarity

FEW = st.text("甲乙丙，。", max_size=7)


def written(steps: tuple[Step, ...]) -> str:
    return "".join(step.operation for step in steps)


def price(steps: tuple[Step, ...], source: str, target: str) -> float:
    similarity = CharacterSimilarity()
    prices = {"M": 0.0, "I": 1.0, "D": 1.0}
    return sum(
        similarity.cost(source[step.start], target[step.target_start])
        if step.operation == "S"
        else float(step.end - step.start - 1)
        if step.operation == "T"
        else prices[step.operation]
        for step in steps
    )


@given(FEW, FEW)
def test_alignments_cover_both_sides_and_cost_the_same(source: str, target: str) -> None:
    alignments = align(source, target, CharacterSimilarity())
    assert len(set(alignments)) == len(alignments) >= 1
    costs = {round(price(steps, source, target), 9) for steps in alignments}
    assert len(costs) == 1
    for steps in alignments:
        assert "".join(source[step.start : step.end] for step in steps) == source
        assert "".join(target[step.target_start : step.target_end] for step in steps) == target
        for step in steps:
            old, new = source[step.start : step.end], target[step.target_start : step.target_end]
            assert (step.operation == "M") == (old == new)
            assert step.operation != "T" or sorted(old) == sorted(new)


@settings(max_examples=50)
@given(st.text("甲乙丙", max_size=5), st.text("甲乙丙", max_size=5))
def test_no_alignment_without_transpositions_is_cheaper(source: str, target: str) -> None:
    @cache
    def least(row: int, column: int) -> float:
        if not row or not column:
            return float(row + column)
        if source[row - 1] == target[column - 1]:
            return least(row - 1, column - 1)
        substituted = least(row - 1, column - 1) + CharacterSimilarity().cost(source[row - 1], target[column - 1])
        return min(substituted, least(row - 1, column) + 1, least(row, column - 1) + 1)

    steps = align(source, target, CharacterSimilarity())[0]
    assert price(steps, source, target) <= least(len(source), len(target)) + 1e-9


def test_neighbours_in_another_order_are_one_step() -> None:
    assert [written(steps) for steps in align("天今好", "今天好", CharacterSimilarity())] == ["TM"]


def test_of_equal_neighbours_the_first_is_deleted() -> None:
    assert [written(steps) for steps in align("好好吃", "好吃", CharacterSimilarity())] == ["DMM"]


def test_a_great_difference_in_length_has_one_alignment() -> None:
    target = "一个字" + "甲乙" * 8
    assert len(align("一字", target, CharacterSimilarity())) == 1


def test_a_sentence_too_long_to_align_is_refused() -> None:
    with pytest.raises(InputError, match="too long"):
        align("甲" * 5_000, "乙" * 5_000, CharacterSimilarity())
