from __future__ import annotations

import pytest

from redraft.chunks import chunks


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
