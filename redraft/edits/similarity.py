"""How alike two words look."""

from __future__ import annotations

from functools import lru_cache

# Longer words are compared by their beginnings; no real word is longer.
_LONGEST = 64


@lru_cache(maxsize=1 << 14)
def similarity(first: str, second: str) -> float:
    """From 0, no letter in common, to 1, the same: twice the longest common subsequence over both lengths."""
    first, second = first[:_LONGEST], second[:_LONGEST]
    if not first or not second:
        return float(first == second)
    places: dict[str, int] = {}
    for index, character in enumerate(first):
        places[character] = places.get(character, 0) | 1 << index
    # One bit for each character of `first`; a cleared bit is part of the common subsequence.
    row = everything = (1 << len(first)) - 1
    for character in second:
        matches = row & places.get(character, 0)
        row = (row + matches) | (row - matches)
    common = len(first) - (row & everything).bit_count()
    return 2 * common / (len(first) + len(second))
