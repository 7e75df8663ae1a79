from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redraft.chunks import chunks, group_by_cost


def test_the_last_chunk_is_shorter() -> None:
    assert list(chunks(range(5), 2)) == [(0, 1), (2, 3), (4,)]


def test_nothing_gives_no_chunk() -> None:
    assert list(chunks([], 3)) == []


def test_items_are_read_only_as_they_are_needed() -> None:
    items = iter(range(10))
    assert next(chunks(items, 3)) == (0, 1, 2)
    assert next(items) == 3


def test_a_chunk_of_no_items_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one"):
        list(chunks([1], 0))


@given(st.lists(st.integers(0, 9)), st.integers(1, 12))
def test_groups_hold_all_items_and_cost_no_more_than_allowed(costs: list[int], most: int) -> None:
    groups = list(group_by_cost(costs, lambda cost: cost, most))
    assert [cost for group in groups for cost in group] == costs
    assert all(group and (sum(group) <= most or len(group) == 1) for group in groups)
    assert all(sum(group) + following[0] > most for group, following in pairwise(groups))
