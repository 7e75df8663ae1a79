"""How many slips of the pen lie between two words."""

from __future__ import annotations


def letter_distance(one: str, other: str) -> int:
    """The number of letters that are inserted, left out, replaced or swapped with their neighbour (optimal string
    alignment)."""
    before: list[int] = []
    last = list(range(len(other) + 1))
    for row, letter in enumerate(one, start=1):
        current = [row]
        for column, wanted in enumerate(other, start=1):
            least = min(last[column] + 1, current[-1] + 1, last[column - 1] + (letter != wanted))
            swapped = row > 1 and column > 1 and letter == other[column - 2] and one[row - 2] == wanted
            current.append(min(least, before[column - 2] + 1) if swapped else least)
        before, last = last, current
    return last[-1]
