from __future__ import annotations

import pytest

from redraft.edits.common_prefix import common_prefix_length


@pytest.mark.parametrize(
    ("first", "second", "length"),
    [("", "abc", 0), ("abc", "abd", 2), ("abc", "abc", 3), ("ab", "abc", 2), (["to", "be"], ["to", "go"], 1)],
)
def test_the_common_prefix_is_counted(first, second, length):
    assert common_prefix_length(first, second) == common_prefix_length(second, first) == length
