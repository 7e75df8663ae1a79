"""All cheapest alignments of two sequences of characters, by ChERRANT's costs.

Steps are a match, a substitution, an insertion, a deletion, or a transposition of any number of characters. All
alignments of exactly the same cost are kept, since any of them may be the one that the annotator had in mind.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from itertools import accumulate, islice

from redraft.edits.common_prefix import common_prefix_length
from redraft.errors import InputError
from redraft.lab.evaluate.character_similarity import CharacterSimilarity

MATCH, SUBSTITUTE, INSERT, DELETE, TRANSPOSE = "M", "S", "I", "D", "T"
MAX_LENGTH_DIFFERENCE = 10  # beyond it, only the first of the cheapest alignments counts
MAX_ALIGNMENTS = 20_000
MAX_CELLS = 16_000_000


@dataclass(frozen=True, slots=True)
class Step:
    """Characters `start` to `end` of the source are aligned with `target_start` to `target_end` of the target."""

    operation: str
    start: int
    end: int
    target_start: int
    target_end: int


Alignment = tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class _Table:
    costs: list[list[float]]
    """Cost of turning the first `row` source characters into the first `column` target characters."""
    moves: dict[tuple[int, int], int]
    """Row and column at the end of a transposition → the number of characters transposed."""


def align(source: Sequence[str], target: Sequence[str], similarity: CharacterSimilarity) -> list[Alignment]:
    """The cheapest alignments; ties are ordered by their last step: transpose, substitute, insert, delete."""
    if len(source) * len(target) > MAX_CELLS:
        raise InputError(f"a sentence of {len(source):,} characters is too long to align; split it into sentences")
    # Equal characters at the end match in every alignment, and no cost before them depends on them. This does not hold
    # at the beginning: which of two equal neighbours was deleted is decided from the end.
    kept = common_prefix_length(source[::-1], target[::-1])
    old, new = source[: len(source) - kept], target[: len(target) - kept]
    rest = tuple(
        Step(MATCH, len(old) + index, len(old) + index + 1, len(new) + index, len(new) + index + 1)
        for index in range(kept)
    )
    walk = _walk(old, new, _tabulate(old, new, similarity), similarity)
    first_only = abs(len(source) - len(target)) > MAX_LENGTH_DIFFERENCE
    alignments = [steps + rest for steps in islice(walk, 1 if first_only else MAX_ALIGNMENTS + 1)]
    return alignments[:1] if len(alignments) > MAX_ALIGNMENTS else alignments


def _tabulate(source: Sequence[str], target: Sequence[str], similarity: CharacterSimilarity) -> _Table:
    width = len(target) + 1
    costs = [[float(column) for column in range(width)]]
    moves: dict[tuple[int, int], int] = {}
    old_sums, new_sums = _sum_up(source), _sum_up(target)
    # For each diagonal, the rows since its last equal costs, by the difference of running sums of source and target:
    # between two rows with the same difference, source and target have the same characters in some order.
    enclosing: dict[int, dict[int, int]] = {}
    substitution = similarity.cost
    for row, old in enumerate(source, start=1):
        above, current = costs[-1], [float(row)]
        for column, new in enumerate(target, start=1):
            diagonal = above[column - 1]
            difference = old_sums[row] - new_sums[column]
            if old == new:
                current.append(diagonal)
                enclosing[row - column] = {difference: row}
                continue
            cheapest = min(diagonal + substitution(old, new), current[column - 1] + 1, above[column] + 1)
            rows = enclosing.get(row - column)
            if rows is None:  # the diagonal begins here
                rows = enclosing[row - column] = {old_sums[row - 1] - new_sums[column - 1]: row - 1}
            first = rows.get(difference)
            if first is not None:
                moves[row, column] = row - first
                cheapest = min(cheapest, costs[first][column - row + first] + (row - first - 1))
            if cheapest == diagonal:
                rows.clear()
            rows[difference] = row
            current.append(cheapest)
        costs.append(current)
    return _Table(costs, moves)


def _sum_up(tokens: Sequence[str]) -> list[int]:
    """Running sums of a hash of each token: equal differences mean the same tokens in some order."""
    return list(accumulate((_number(token) for token in tokens), initial=0))


@cache
def _number(token: str) -> int:
    return int.from_bytes(sha256(token.encode("utf-8", "surrogatepass")).digest()[:12], "big")


def _walk(
    source: Sequence[str], target: Sequence[str], table: _Table, similarity: CharacterSimilarity
) -> Iterator[Alignment]:
    """Alignments by depth-first search from the end; iterative, since alignments exceed Python's recursion limit."""
    known: dict[tuple[int, int], list[Step]] = {}
    stack: list[tuple[int, int, _Link | None]] = [(len(source), len(target), None)]
    while stack:
        row, column, link = stack.pop()
        if not row and not column:
            yield tuple(_follow(link))
            continue
        if (row, column) not in known:
            known[row, column] = _last_steps(source, target, row, column, table, similarity)
        stack += [(step.start, step.target_start, _Link(step, link)) for step in reversed(known[row, column])]


def _last_steps(
    source: Sequence[str], target: Sequence[str], row: int, column: int, table: _Table, similarity: CharacterSimilarity
) -> list[Step]:
    """The possible last steps of the cheapest alignments of two prefixes."""
    insert, delete = Step(INSERT, row, row, column - 1, column), Step(DELETE, row - 1, row, column, column)
    if not row or not column:
        return [insert if column else delete]
    old, new = source[row - 1], target[column - 1]
    if old == new:
        return [Step(MATCH, row - 1, row, column - 1, column)]
    costs = table.costs
    priced = [
        (costs[row - 1][column - 1] + similarity.cost(old, new), Step(SUBSTITUTE, row - 1, row, column - 1, column)),
        (costs[row][column - 1] + 1, insert),
        (costs[row - 1][column] + 1, delete),
    ]
    moved = table.moves.get((row, column), 0)
    if moved:
        price = costs[row - moved][column - moved] + (moved - 1)
        priced.insert(0, (price, Step(TRANSPOSE, row - moved, row, column - moved, column)))
    return [step for price, step in priced if price == costs[row][column]]


@dataclass(frozen=True, slots=True)
class _Link:
    step: Step
    rest: _Link | None


def _follow(link: _Link | None) -> Iterator[Step]:
    while link:
        yield link.step
        link = link.rest
