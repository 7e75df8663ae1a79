"""Length of the common prefix of two sequences."""

from __future__ import annotations

from collections.abc import Sequence


def common_prefix_length(first: Sequence[str], second: Sequence[str]) -> int:
    """The number of items that two sequences share at the beginning."""
    pairs = enumerate(zip(first, second, strict=False))
    return next((number for number, (one, other) in pairs if one != other), min(len(first), len(second)))
