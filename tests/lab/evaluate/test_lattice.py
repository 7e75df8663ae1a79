from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from redraft.lab.evaluate.lattice import SUBSTITUTION_COSTS, build, join_steps, list_steps

tokens = st.lists(st.sampled_from("abc"), max_size=5)


def shortest_steps(source: list[str], target: list[str], cost: int) -> set[tuple[tuple[int, int], tuple[int, int]]]:
    """The steps of all shortest ways, by walking every way there is."""
    best: dict[str, int] = {"cost": len(source) + len(target)}
    ways: list[tuple[int, list[tuple[int, int]]]] = []

    def walk(cell: tuple[int, int], spent: int, way: list[tuple[int, int]]) -> None:
        i, j = cell
        if spent > best["cost"]:
            return
        if cell == (len(source), len(target)):
            best["cost"] = spent
            ways.append((spent, way))
            return
        if i < len(source):
            walk((i + 1, j), spent + 1, [*way, (i + 1, j)])
        if j < len(target):
            walk((i, j + 1), spent + 1, [*way, (i, j + 1)])
        if i < len(source) and j < len(target):
            walk((i + 1, j + 1), spent + (0 if source[i] == target[j] else cost), [*way, (i + 1, j + 1)])

    walk((0, 0), 0, [(0, 0)])
    return {step for spent, way in ways if spent == best["cost"] for step in pairwise(way)}


@given(tokens, tokens)
def test_the_steps_are_those_of_all_shortest_ways(source: list[str], target: list[str]) -> None:
    lattice = build(source, target)
    vertices = lattice.vertices()
    cells = [(int(i), int(j)) for i, j in vertices]
    found = [(cells[step.start], cells[step.end]) for step in list_steps(lattice, vertices)]
    expected = [step for cost in SUBSTITUTION_COSTS for step in shortest_steps(source, target, cost)]
    assert sorted(found) == sorted(expected)
    assert found == sorted(found)
    assert cells == sorted({(0, 0), *(cell for step in expected for cell in step)})


@given(tokens, tokens, st.integers(0, 3))
def test_joined_arcs_keep_few_tokens_and_run_forward(source: list[str], target: list[str], most: int) -> None:
    lattice = build(source, target)
    vertices = lattice.vertices()
    steps = list_steps(lattice, vertices)
    for arc in join_steps(len(vertices), steps, most):
        assert arc.start < arc.end
        assert arc.unchanged <= most
        assert arc.length >= 2


def test_equal_sequences_have_one_way() -> None:
    lattice = build(["a", "a", "b"], ["a", "a", "b"])
    assert lattice.vertices().tolist() == [[0, 0], [1, 1], [2, 2], [3, 3]]
    assert all(step.is_noop for step in list_steps(lattice, lattice.vertices()))
