"""A short run of every target of `scripts/fuzz`, and the fuzzer itself."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from fuzzing.__main__ import NAMES, open_targets
from fuzzing.runner import Target, run, try_input

SEED = 7
INPUTS = 12


@pytest.fixture(scope="module")
def targets() -> Iterator[dict[str, Target]]:
    with open_targets() as targets:
        yield {target.name: target for target in targets}


def test_the_targets_have_names(targets: dict[str, Target]) -> None:
    assert tuple(targets) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_short_run_finds_nothing(targets: dict[str, Target], name: str) -> None:
    target = targets[name]
    first = len(target.seeds)
    inputs = [*target.seeds[:INPUTS], *(target.input(SEED, number) for number in range(first, first + INPUTS))]
    assert [failure for text in inputs if (failure := try_input(target, text))] == []


def _fail_on_b(text: str) -> None:
    assert "b" not in text, "there is a b"


def _make(generator: random.Random) -> str:
    return "".join(generator.choices("ab", k=generator.randrange(1, 5)))


def test_failures_are_counted_and_the_shortest_is_saved(tmp_path: Path) -> None:
    target = Target("small", _fail_on_b, _make, ["a", "bbbbbbbb"])
    report = run(target, seed=1, seconds=60, most_inputs=200)
    assert report.inputs == 200
    (failure,) = report.failures.values()
    assert failure.input == "b"
    assert re.fullmatch(r"AssertionError at test_fuzzing\.py:\d+: there is a b", failure.error)
    assert 50 < report.failed < 200
    assert failure.save(tmp_path).read_text() == "b"


def test_inputs_depend_on_the_seed_alone() -> None:
    target = Target("small", _fail_on_b, _make, ["first"])

    def inputs(seed: int) -> list[str]:
        return [target.input(seed, number) for number in range(20)]

    assert inputs(1) == inputs(1) != inputs(2)
    assert inputs(1)[0] == inputs(2)[0] == "first"
