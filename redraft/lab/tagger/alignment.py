"""Aligns the words of a pair: which words of the source become which words of the target."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile

from redraft.edits.subsequence import subsequence_ratio
from redraft.lab.tagger.words import bare

LONGEST_JOINED = 3
"""Most words that are seen as one word with spaces in it, or the other way round."""
_RESPACED = 0.3
_MARK_FOR_WORD = 2.2
"""More than a deletion and an insertion together, which cost 2."""
_NEAR = 3
"""Most words on either side of a stretch that ends at the nearest equal words."""
_LARGEST_TABLE = 2500


@dataclass(frozen=True, slots=True)
class Step:
    """Source words from `start` to `end` become target words from `target_start` to `target_end`."""

    start: int
    end: int
    target_start: int
    target_end: int


def align(source: Sequence[str], target: Sequence[str]) -> list[Step]:
    """The steps that change something, in order. A step has one word on at least one side, or none on one side."""
    steps: list[Step] = []
    for block in _find_differences(source, target):
        height, width = block.end - block.start, block.target_end - block.target_start
        if height and width and height + width > 2:
            steps += _align_block(source, target, block)
        elif height <= 1 and width <= 1:
            steps.append(block)
        else:
            steps += _split_block(block)
    return steps


def _split_block(block: Step) -> Iterator[Step]:
    """A deletion or insertion of several words, word by word."""
    for place in range(block.start, block.end):
        yield Step(place, place + 1, block.target_start, block.target_start)
    for place in range(block.target_start, block.target_end):
        yield Step(block.start, block.start, place, place + 1)


def _find_differences(source: Sequence[str], target: Sequence[str]) -> Iterator[Step]:
    """Stretches that differ. A short one ends at the nearest two words, or the end of the sentence, that are equal on
    both sides. Equal words far away may belong elsewhere: a long one ends where the rest of both sides is equal."""
    left = [*zip(source, [*source[1:], ""], strict=False), ("", "")]
    right = [*zip(target, [*target[1:], ""], strict=False), ("", "")]
    i = j = 0
    while True:
        while i < len(source) and j < len(target) and source[i] == target[j]:
            i, j = i + 1, j + 1
        if i == len(source) and j == len(target):
            return
        next_i, next_j = _find_equal(left, right, i, j)
        if max(next_i - i, next_j - j) > _NEAR:
            tail = _common_tail(source[i:], target[j:])
            rest = len(source) - tail, len(target) - tail
            if (rest[0] - i) * (rest[1] - j) <= _LARGEST_TABLE:
                next_i, next_j = rest
        yield Step(i, next_i, j, next_j)
        i, j = next_i, next_j


def _common_tail(source: Sequence[str], target: Sequence[str]) -> int:
    pairs = zip(reversed(source), reversed(target), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _find_equal(left: Sequence[tuple[str, str]], right: Sequence[tuple[str, str]], i: int, j: int) -> tuple[int, int]:
    """The nearest places from (i, j) on with equal pairs of words; both end with the same pair."""
    rows, columns = len(left) - i, len(right) - j
    for distance in range(1, rows + columns - 1):
        for skipped in range(max(0, distance - columns + 1), min(distance, rows - 1) + 1):
            if left[i + skipped] == right[j + distance - skipped]:
                return i + skipped, j + distance - skipped
    return len(left) - 1, len(right) - 1


def _align_block(source: Sequence[str], target: Sequence[str], block: Step) -> list[Step]:
    """The cheapest deletions, insertions, substitutions, joins and splits, without equal words."""
    old, new = source[block.start : block.end], target[block.target_start : block.target_end]
    moves = _fill_table(old, new)
    steps: list[Step] = []
    i, j = len(old), len(new)
    while i or j:
        up, back = moves[i][j]
        if not (up == back == 1 and old[i - 1] == new[j - 1]):
            end, target_end = block.start + i, block.target_start + j
            steps.append(Step(end - up, end, target_end - back, target_end))
        i, j = i - up, j - back
    return steps[::-1]


def _fill_table(old: Sequence[str], new: Sequence[str]) -> list[list[tuple[int, int]]]:
    """For each pair of prefixes, the number of old and of new words of the last step of their cheapest alignment."""
    joined_old, joined_new = _join_ends(old), _join_ends(new)
    costs = [[float(j) for j in range(len(new) + 1)]]
    moves = [[(0, 1)] * (len(new) + 1)]
    for i, word in enumerate(old, 1):
        above, row, row_moves = costs[-1], [float(i)], [(1, 0)]
        joined = joined_old[i - 1]
        for j, other in enumerate(new, 1):
            best, move = above[j - 1] + _substitution_cost(word, other), (1, 1)
            if above[j] + 1 < best:
                best, move = above[j] + 1, (1, 0)
            if row[j - 1] + 1 < best:
                best, move = row[j - 1] + 1, (0, 1)
            size = joined.get(other)
            if size and costs[i - size][j - 1] + _RESPACED < best:
                best, move = costs[i - size][j - 1] + _RESPACED, (size, 1)
            size = joined_new[j - 1].get(word)
            if size and above[j - size] + _RESPACED < best:
                best, move = above[j - size] + _RESPACED, (1, size)
            row.append(best)
            row_moves.append(move)
        costs.append(row)
        moves.append(row_moves)
    return moves


def _join_ends(words: Sequence[str]) -> list[dict[str, int]]:
    """For each word, what it and the words before it are when they are written as one word, and their number."""
    return [
        {
            words[end - size] + "".join(map(bare, words[end - size + 1 : end])): size
            for size in range(2, min(end, LONGEST_JOINED) + 1)
        }
        for end in range(1, len(words) + 1)
    ]


@lru_cache(maxsize=1 << 16)
def _substitution_cost(word: str, other: str) -> float:
    if word == other:
        return 0.0
    text, other_text = bare(word).lower(), bare(other).lower()
    if text == other_text:
        return 0.1
    if text[-1].isalnum() != other_text[-1].isalnum():
        return _MARK_FOR_WORD
    return 1.5 - subsequence_ratio(text, other_text)
