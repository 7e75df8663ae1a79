"""Edits begin where a target leaves its source."""

from __future__ import annotations

import pytest
from scripted import Letters

from redraft.lab.detection.labels import edit_starts

SOURCE = [4, 5, 7, 8, 10]


@pytest.mark.parametrize(
    ("target", "starts"),
    [
        ([4, 5, 7, 8, 10], []),
        ([4, 5, 20, 8, 10], [2]),
        ([4, 7, 8, 10], [1]),
        ([4, 5, 7, 8, 10, 22], [5]),
        ([4, 5, 7], [3]),
        ([20, 5, 7, 8, 23], [0, 4]),
        ([], [0]),
    ],
    ids=["copy", "replacement", "deletion", "insertion at the end", "early end", "two", "nothing"],
)
def test_edit_starts(target, starts):
    assert edit_starts(SOURCE, target, Letters()) == starts


def test_an_empty_source():
    assert edit_starts([], [], Letters()) == []
    assert edit_starts([], [5], Letters()) == [0]
