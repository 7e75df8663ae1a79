"""All shortest paths from one token sequence to another, as one graph.

Vertex (i, j): i source tokens read, j target tokens written. Two graphs are merged: in one a substitution costs as much
as a deletion or an insertion, in the other as much as both together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

DIAGONAL, DELETE, INSERT = 1, 2, 4
SUBSTITUTION_COSTS = (1, 2)
UNREACHED = 16_383  # the sum of two fits an int16

Flags = NDArray[np.uint8]
Cell = tuple[int, int]


@dataclass(frozen=True, slots=True, eq=False)
class Lattice:
    """The steps into each cell that are on a shortest path, for each of the two graphs, and the matching tokens."""

    steps: Flags  # (2, source tokens + 1, target tokens + 1)
    kept: NDArray[np.bool_]

    @property
    def merged(self) -> Flags:
        """The steps of either graph."""
        merged: Flags = self.steps[0] | self.steps[1]
        return merged

    def vertices(self) -> NDArray[np.intp]:
        """The cells on a shortest path as rows (i, j), sorted."""
        reached = self.merged > 0
        reached[0, 0] = True
        return np.argwhere(reached)


@dataclass(frozen=True, slots=True)
class LatticeEdit:
    """An edit as cells: source tokens start[0] to end[0] become target tokens start[1] to end[1]."""

    start: Cell
    end: Cell


@dataclass(frozen=True, slots=True)
class Arc:
    """An edit between two vertices, made of `length` steps of which `unchanged` keep a token."""

    start: int
    end: int
    length: int
    unchanged: int

    @property
    def is_noop(self) -> bool:
        return self.length == self.unchanged


def build(source: Sequence[str], target: Sequence[str]) -> Lattice:
    numbers: dict[str, int] = {}
    source_ids = np.array([numbers.setdefault(token, len(numbers)) for token in source], dtype=np.int32)
    target_ids = np.array([numbers.setdefault(token, len(numbers)) for token in target], dtype=np.int32)
    kept = np.zeros((len(source) + 1, len(target) + 1), dtype=bool)
    kept[1:, 1:] = source_ids[:, None] == target_ids[None, :]
    return Lattice(_keep_reached(_trace_steps(kept)), kept)


def _trace_steps(kept: NDArray[np.bool_]) -> Flags:
    """For each graph and cell, the steps into the cell that are on a shortest path from the origin."""
    rows, columns = kept.shape
    flags = np.zeros((len(SUBSTITUTION_COSTS), rows, columns), dtype=np.uint8)
    flags[:, 0, 1:] = INSERT
    places = np.arange(columns, dtype=np.int32)
    above = np.tile(places, (len(SUBSTITUTION_COSTS), 1))
    current = np.empty_like(above)
    changing = np.array(SUBSTITUTION_COSTS, dtype=np.int32)[:, None]
    for row in range(1, rows):
        diagonal = above[:, :-1] + changing * ~kept[row, 1:]
        deletion = above + 1
        current[:, 0] = row
        np.minimum(diagonal, deletion[:, 1:], out=current[:, 1:])
        # An insertion adds one for each column, so the best sequence of insertions is a running minimum.
        current -= places
        np.minimum.accumulate(current, axis=1, out=current)
        current += places
        line = flags[:, row]
        line[:, 1:] = (diagonal == current[:, 1:]) * DIAGONAL + (current[:, :-1] + 1 == current[:, 1:]) * INSERT
        line += (deletion == current) * np.uint8(DELETE)
        above, current = current, above
    return flags


def _keep_reached(flags: Flags) -> Flags:
    """The steps without the cells from which no shortest path leads to the last cell."""
    graphs, rows, columns = flags.shape
    places = np.arange(columns)
    seeds = np.zeros((graphs, columns), dtype=bool)
    seeds[:, -1] = True
    stops = np.ones((graphs, columns), dtype=bool)
    for row in range(rows - 1, -1, -1):
        line = flags[:, row]
        # Cell j is on a path to the nearest seed to its right if every cell between allows an insertion.
        stops[:, :-1] = (line[:, 1:] & INSERT) == 0
        line[_nearest(seeds, places) > _nearest(stops, places)] = 0
        seeds = (line & DELETE) > 0
        seeds[:, :-1] |= (line[:, 1:] & DIAGONAL) > 0
    return flags


def _nearest(marks: NDArray[np.bool_], places: NDArray[np.intp]) -> NDArray[np.intp]:
    """For each place the nearest marked place at or to the right of it; the length if there is none."""
    marked = np.where(marks, places, len(places))
    nearest: NDArray[np.intp] = np.minimum.accumulate(marked[:, ::-1], axis=1)[:, ::-1]
    return nearest


def list_steps(lattice: Lattice, vertices: NDArray[np.intp]) -> list[Arc]:
    """The single steps between vertices (by rank), sorted; a step of both graphs is listed twice."""
    rank = np.full(lattice.kept.shape, -1, dtype=np.intp)
    rank[vertices[:, 0], vertices[:, 1]] = np.arange(len(vertices))
    pieces: list[tuple[int, int, int]] = []
    for flags in lattice.steps:
        for flag, (down, right) in ((DIAGONAL, (1, 1)), (DELETE, (1, 0)), (INSERT, (0, 1))):
            into = np.argwhere(flags & flag)
            starts = rank[into[:, 0] - down, into[:, 1] - right]
            ends = rank[into[:, 0], into[:, 1]]
            same = lattice.kept[into[:, 0], into[:, 1]] if flag == DIAGONAL else np.zeros(len(into), dtype=bool)
            pieces += zip(starts.tolist(), ends.tolist(), same.astype(int).tolist(), strict=True)
    return [Arc(start, end, 1, unchanged) for start, end, unchanged in sorted(pieces)]


def join_steps(count: int, steps: Sequence[Arc], max_unchanged: int) -> list[Arc]:
    """Arcs of several steps with at most `max_unchanged` kept tokens, in the order in which they are found.

    Vertices are tried as the middle of two arcs in ascending order, as in the Floyd–Warshall algorithm. An arc is found
    again when a later middle makes it shorter; its length and unchanged tokens are then those of the last find.
    """
    length = np.full((count, count), UNREACHED, dtype=np.int16)
    unchanged = np.zeros((count, count), dtype=np.int16)
    for step in steps:
        length[step.start, step.end] = 1
        unchanged[step.start, step.end] = step.unchanged
    found: list[tuple[int, int]] = []
    for middle in range(1, count - 1):
        before = (length[:middle, middle] < UNREACHED).nonzero()[0]
        after = (length[middle, middle + 1 :] < UNREACHED).nonzero()[0] + middle + 1
        rows = before[:, None]
        joined = length[rows, middle] + length[middle, after]
        same = unchanged[rows, middle] + unchanged[middle, after]
        better = (joined < length[rows, after]) & (same <= max_unchanged)
        which, where = better.nonzero()
        if len(which):
            starts, ends = before[which], after[where]
            length[starts, ends] = joined[better]
            unchanged[starts, ends] = same[better]
            found += zip(starts.tolist(), ends.tolist(), strict=True)
    return [Arc(start, end, int(length[start, end]), int(unchanged[start, end])) for start, end in found]
