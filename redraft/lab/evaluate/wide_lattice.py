"""MaxMatch for a lattice with too many arcs to list: dynamic programming over its anti-diagonals.

The objective is that of MaxMatch: most gold edits, then fewest steps, then fewest edits, each edit keeping at most a
given number of tokens. A cell has several states: outside any edit, or inside one that has kept 0, 1, 2 … tokens. Time
and memory are proportional to the number of cells.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from redraft.lab.evaluate.lattice import DELETE, DIAGONAL, INSERT, Cell, Lattice, LatticeEdit

Costs = NDArray[np.int64]

STEP = 1_000_000  # more than the edits of any sentence
GOLD = STEP * 1_000_000  # more than the steps of any sentence
FAR = np.int64(2**62)
OPENED, BY_INSERT, BY_DELETE, BY_SUBSTITUTE, BY_KEPT, BY_GOLD, CLOSED = range(7)  # CLOSED + n: out of state n


@dataclass(slots=True)
class _DiagonalSearch:
    lattice: Lattice
    flags: NDArray[np.uint8]
    max_unchanged: int
    gold_into: Mapping[Cell, list[Cell]]
    gold_by_diagonal: Mapping[int, list[Cell]]
    outside_at: dict[Cell, int] = field(default_factory=dict)
    entered: dict[Cell, Cell] = field(default_factory=dict)

    def run(self) -> list[LatticeEdit]:
        rows, columns = self.lattice.kept.shape
        states = self.max_unchanged + 2
        choices = np.zeros((states, rows, columns), dtype=np.uint8)
        # Costs by state and source position on the last two diagonals; row -1 stays at FAR for the shifts.
        one_back = np.full((states, rows + 1), FAR)
        two_back = np.full((states, rows + 1), FAR)
        for diagonal in range(rows + columns - 1):
            costs = np.full((states, rows + 1), FAR)
            first, last = max(0, diagonal - columns + 1), min(rows - 1, diagonal)
            sources = np.arange(first, last + 1)
            targets = diagonal - sources
            best, choice = self._enter(sources, targets, one_back, two_back)
            self._leave(best, choice, sources, targets)
            costs[:, first : last + 1] = best
            choices[:, sources, targets] = choice
            one_back, two_back = costs, one_back
        return self._backtrack(choices)

    def _enter(
        self, sources: NDArray[np.intp], targets: NDArray[np.intp], one_back: Costs, two_back: Costs
    ) -> tuple[Costs, NDArray[np.uint8]]:
        """Costs of the steps into each cell; state 0 is outside an edit, state n inside one with n - 1 tokens kept."""
        flags = self.flags[sources, targets]
        kept = self.lattice.kept[sources, targets]
        states = self.max_unchanged + 2
        best = np.full((states, len(sources)), FAR)
        choice = np.zeros((states, len(sources)), dtype=np.uint8)

        def offer(state: int, costs: Costs, allowed: NDArray[np.bool_], by: int) -> None:
            offered = np.where(allowed & (costs < FAR), costs + STEP, FAR)
            better = offered < best[state]
            best[state][better] = offered[better]
            choice[state][better] = by

        diagonal = (flags & DIAGONAL) > 0
        offer(0, two_back[0, sources - 1], diagonal & kept, BY_KEPT)
        for state in range(1, states):
            offer(state, one_back[state, sources], (flags & INSERT) > 0, BY_INSERT)
            offer(state, one_back[state, sources - 1], (flags & DELETE) > 0, BY_DELETE)
            offer(state, two_back[state, sources - 1], diagonal & ~kept, BY_SUBSTITUTE)
            if state > 1:
                offer(state, two_back[state - 1, sources - 1], diagonal & kept, BY_KEPT)
        return best, choice

    def _leave(
        self, best: Costs, choice: NDArray[np.uint8], sources: NDArray[np.intp], targets: NDArray[np.intp]
    ) -> None:
        """Closes edits, takes gold edits and opens new edits in the cells of one diagonal."""
        if targets[0] == sources[0] == 0:
            best[0, 0] = 0
        for state in range(1, len(best)):
            better = best[state] < best[0]
            best[0][better] = best[state][better]
            choice[0][better] = CLOSED + state
        for cell in self.gold_by_diagonal.get(int(sources[0] + targets[0]), ()):
            self._take_gold(cell, cell[0] - int(sources[0]), best, choice)
        opened = np.where(best[0] < FAR, best[0] + 1, FAR)
        better = opened < best[1]
        best[1][better] = opened[better]
        choice[1][better] = OPENED

    def _take_gold(self, cell: Cell, place: int, best: Costs, choice: NDArray[np.uint8]) -> None:
        for start in self.gold_into.get(cell, ()):
            cost = self.outside_at.get(start)
            if cost is not None and cost - GOLD < best[0, place]:
                best[0, place] = cost - GOLD
                choice[0, place] = BY_GOLD
                self.entered[cell] = start
        if best[0, place] < FAR:
            self.outside_at[cell] = int(best[0, place])

    def _backtrack(self, choices: NDArray[np.uint8]) -> list[LatticeEdit]:
        back = {BY_INSERT: (0, 1), BY_DELETE: (1, 0), BY_SUBSTITUTE: (1, 1), BY_KEPT: (1, 1)}
        rows, columns = self.lattice.kept.shape
        cell, state = (rows - 1, columns - 1), 0
        end = cell
        edits_found: list[LatticeEdit] = []
        while cell != (0, 0) or state:
            choice = int(choices[state][cell])
            if choice == BY_GOLD:
                edits_found.append(LatticeEdit(self.entered[cell], cell))
                cell = self.entered[cell]
            elif choice >= CLOSED:
                state, end = choice - CLOSED, cell
            elif choice == OPENED:
                edits_found.append(LatticeEdit(cell, end))
                state = 0
            else:
                if choice == BY_KEPT and state:
                    state -= 1
                cell = (cell[0] - back[choice][0], cell[1] - back[choice][1])
        return [edit for edit in reversed(edits_found) if not self._keeps_all(edit)]

    def _keeps_all(self, edit: LatticeEdit) -> bool:
        """True for a gold edit that changes nothing: it is rewarded, but not an edit of the system."""
        (row, column), (last_row, last_column) = edit.start, edit.end
        if last_row - row != last_column - column:
            return False
        return all(self.lattice.kept[row + step, column + step] for step in range(1, last_row - row + 1))


def find_best(
    lattice: Lattice, target: Sequence[str], gold: Iterable[tuple[int, int, Sequence[str]]], max_unchanged: int
) -> list[LatticeEdit]:
    """The best edits in order of position; gold edits are (source start, source end, corrections)."""
    flags = lattice.merged
    arcs: dict[Cell, list[Cell]] = {}
    for start, end, corrections in gold:
        for correction in corrections:
            words = correction.split()
            for place in range(len(target) - len(words) + 1):
                cells = (start, place), (end, place + len(words))
                if (
                    cells[0] != cells[1]
                    and list(target[place : place + len(words)]) == words
                    and _connects(lattice, flags, *cells, max_unchanged)
                ):
                    arcs.setdefault(cells[1], []).append(cells[0])
    by_diagonal: dict[int, list[Cell]] = {}
    for cell in {*arcs, *(start for starts in arcs.values() for start in starts)}:
        by_diagonal.setdefault(sum(cell), []).append(cell)
    return _DiagonalSearch(lattice, flags, max_unchanged, arcs, by_diagonal).run()


def _connects(lattice: Lattice, flags: NDArray[np.uint8], start: Cell, end: Cell, max_unchanged: int) -> bool:
    """Whether a path from start to end keeps at most `max_unchanged` tokens."""
    fewest: dict[Cell, int] = {start: 0}
    for row in range(start[0], end[0] + 1):
        for column in range(start[1], end[1] + 1):
            flag = int(flags[row, column])
            ways = [fewest[start]] if (row, column) == start else []
            if flag & INSERT and (row, column - 1) in fewest:
                ways.append(fewest[row, column - 1])
            if flag & DELETE and (row - 1, column) in fewest:
                ways.append(fewest[row - 1, column])
            if flag & DIAGONAL and (row - 1, column - 1) in fewest:
                ways.append(fewest[row - 1, column - 1] + int(lattice.kept[row, column]))
            if ways:
                fewest[row, column] = min(ways)
    return fewest.get(end, max_unchanged + 1) <= max_unchanged
