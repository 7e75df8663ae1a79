"""Aligns two lists of words: the cheapest deletions, insertions, substitutions and swaps that turn one into the other.

A substitution costs less if the two words are similar or belong to the same word class. A swap of neighbouring words
costs less than moving them one by one. Punctuation is not aligned with words.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from redraft.edits.inflection import shifts
from redraft.edits.lexicon import AUXILIARIES, CONJUNCTIONS, DETERMINERS, PREPOSITIONS, PRONOUNS
from redraft.edits.subsequence import subsequence_ratio


@dataclass(frozen=True, slots=True)
class Block:
    """Words `old`, from index `source_start` of the source, replaced by words `new`, from index `target_start`."""

    source_start: int
    old: tuple[str, ...]
    target_start: int
    new: tuple[str, ...]

    @property
    def source_end(self) -> int:
        return self.source_start + len(self.old)

    @property
    def target_end(self) -> int:
        return self.target_start + len(self.new)

    @property
    def is_substitution(self) -> bool:
        """Neither an insertion nor a deletion."""
        return bool(self.old and self.new)

    @property
    def changes_case_only(self) -> bool:
        return [word.lower() for word in self.old] == [word.lower() for word in self.new]

    def touches(self, following: Block) -> bool:
        return self.source_end == following.source_start and self.target_end == following.target_start

    def join(self, following: Block) -> Block:
        return Block(self.source_start, self.old + following.old, self.target_start, self.new + following.new)


def is_word(token: str) -> bool:
    return any(character.isalnum() for character in token)


@dataclass(frozen=True, slots=True)
class _Rows:
    """Two lists of words to compare, and their start indices in the whole lists."""

    left: list[str]
    right: list[str]
    source_start: int = 0
    target_start: int = 0

    @property
    def table_size(self) -> int:
        return len(self.left) * len(self.right)

    def part(self, first: tuple[int, int], last: tuple[int, int]) -> _Rows:
        left, right = self.left[first[0] : last[0]], self.right[first[1] : last[1]]
        return _Rows(left, right, self.source_start + first[0], self.target_start + first[1])


_LARGEST_TABLE = 40_000
# Pairs (length, table size): a larger table is first split at runs of this length that occur once in both lists.
_ANCHORS = ((3, 24), (1, _LARGEST_TABLE))
# A part that is still too large is cut into strips of this length.
_STRIP = 32


def differences(left: list[str], right: list[str]) -> list[Block]:
    """Single deletions, insertions, substitutions and swaps, in order, without equal words."""
    return [block for rows in _divide(_Rows(left, right), _ANCHORS) for block in _align_words(rows)]


def _divide(rows: _Rows, anchors: tuple[tuple[int, int], ...]) -> Iterator[_Rows]:
    """Splits the lists into parts that are small enough to compare, and leaves out anchors, which are equal."""
    if not anchors or rows.table_size <= anchors[0][1]:
        yield from _strips(rows) if rows.table_size > _LARGEST_TABLE else [rows]
        return
    length = anchors[0][0]
    i = j = 0
    for next_i, next_j in [*_find_anchors(rows, length), (len(rows.left), len(rows.right))]:
        if next_i >= i and next_j >= j:
            yield from _divide(rows.part((i, j), (next_i, next_j)), anchors[1:])
        elif next_i - i != next_j - j:
            continue
        i, j = next_i + length, next_j + length


def _strips(rows: _Rows) -> Iterator[_Rows]:
    height, width = len(rows.left), len(rows.right)
    count = max(height, width) // _STRIP + 1
    edges = [(height * k // count, width * k // count) for k in range(count + 1)]
    return (rows.part(first, last) for first, last in pairwise(edges))


def _find_anchors(rows: _Rows, length: int) -> list[tuple[int, int]]:
    """Indices of runs of `length` words that occur once in both lists: the longest chain in the same order."""
    left_runs = list(zip(*(rows.left[k:] for k in range(length)), strict=False))
    right_runs = list(zip(*(rows.right[k:] for k in range(length)), strict=False))
    left_counts, right_counts = Counter(left_runs), Counter(right_runs)
    place = {run: index for index, run in enumerate(right_runs) if right_counts[run] == 1}
    pairs = [(index, place[run]) for index, run in enumerate(left_runs) if left_counts[run] == 1 and run in place]
    # Longest increasing subsequence: tops[k] is the smallest index that ends a chain of k + 1 pairs.
    tops: list[int] = []
    chain: list[int] = []
    before: list[int] = []
    for number, (_, position) in enumerate(pairs):
        length = bisect_left(tops, position)
        before.append(chain[length - 1] if length else -1)
        tops[length : length + 1] = [position]
        chain[length : length + 1] = [number]
    found: list[tuple[int, int]] = []
    number = chain[-1] if chain else -1
    while number >= 0:
        found.append(pairs[number])
        number = before[number]
    return found[::-1]


_LONGEST_SWAP = 6
_KEEP, _DELETE, _INSERT = 0, -1, 1


def _align_words(rows: _Rows) -> list[Block]:
    """The cheapest alignment of two short lists of words."""
    left, right = rows.left, rows.right
    steps = _fill_table(left, right)
    blocks: list[Block] = []
    i, j = len(left), len(right)
    while i or j:
        step = steps[i][j]
        i_end, j_end = i, j
        i -= 0 if step == _INSERT else max(step, 1)
        j -= 0 if step == _DELETE else max(step, 1)
        if step != _KEEP or left[i] != right[j]:
            old, new = tuple(left[i:i_end]), tuple(right[j:j_end])
            blocks.append(Block(rows.source_start + i, old, rows.target_start + j, new))
    return blocks[::-1]


def _fill_table(left: list[str], right: list[str]) -> list[list[int]]:
    """For each pair of prefixes the last step of their cheapest alignment; n ≥ 2 is a swap of n words."""
    folded_left, folded_right = [word.lower() for word in left], [word.lower() for word in right]
    shared = set(folded_left) & set(folded_right)
    costs = [[float(j) for j in range(len(right) + 1)]]
    steps = [[_INSERT] * (len(right) + 1)]
    for i, word in enumerate(left, 1):
        row, step_row, above = [float(i)], [_DELETE], costs[-1]
        may_swap = i > 1 and folded_left[i - 1] in shared
        for j, other in enumerate(right, 1):
            best, step = above[j - 1] + (0.0 if word == other else _substitution_cost(word, other)), _KEEP
            if above[j] + 1 < best:
                best, step = above[j] + 1, _DELETE
            if row[j - 1] + 1 < best:
                best, step = row[j - 1] + 1, _INSERT
            if may_swap and j > 1 and best > 0 and folded_right[j - 1] in shared:
                for size in range(2, min(i, j, _LONGEST_SWAP) + 1):
                    cost = costs[i - size][j - size] + size - 1.01
                    if cost < best and sorted(folded_left[i - size : i]) == sorted(folded_right[j - size : j]):
                        best, step = cost, size
            row.append(best)
            step_row.append(step)
        costs.append(row)
        steps.append(step_row)
    return steps


_WORD_CLASSES = (DETERMINERS, PREPOSITIONS, PRONOUNS, AUXILIARIES, CONJUNCTIONS)


@lru_cache(maxsize=1 << 14)
def _substitution_cost(word: str, other: str) -> float:
    """Cost of replacing a word by a different one; a deletion and an insertion together cost 2."""
    if is_word(word) != is_word(other):
        return 2.2
    folded, other_folded = word.lower(), other.lower()
    if folded == other_folded:
        return 0.1
    if not is_word(word):
        return 0.6
    kin = 0.0 if shifts(folded, other_folded) else 0.5
    return kin + _class_distance(folded, other_folded) + 1 - subsequence_ratio(folded, other_folded)


def _class_distance(folded: str, other_folded: str) -> float:
    closed = [folded in word_class for word_class in _WORD_CLASSES]
    other_closed = [other_folded in word_class for word_class in _WORD_CLASSES]
    if any(one and other for one, other in zip(closed, other_closed, strict=True)):
        return 0.0
    return 0.5 if any(closed) or any(other_closed) else 0.25
