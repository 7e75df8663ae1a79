"""Similarity of two words by their longest common subsequence of letters."""

from __future__ import annotations

from functools import lru_cache

# Only this many characters of a longer string are compared; real words are shorter.
_LONGEST = 64


@lru_cache(maxsize=1 << 14)
def subsequence_ratio(first: str, second: str) -> float:
    """Twice the length of the longest common subsequence, divided by the sum of both lengths: from 0 to 1."""
    first, second = first[:_LONGEST], second[:_LONGEST]
    if not first or not second:
        return float(first == second)
    places: dict[str, int] = {}
    for index, character in enumerate(first):
        places[character] = places.get(character, 0) | 1 << index
    # One bit for each character of `first`. A cleared bit is part of the common subsequence.
    row = everything = (1 << len(first)) - 1
    for character in second:
        matches = row & places.get(character, 0)
        row = (row + matches) | (row - matches)
    common = len(first) - (row & everything).bit_count()
    return 2 * common / (len(first) + len(second))
