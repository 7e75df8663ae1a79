"""Requirements in pyproject.toml, and the versions that constraints.txt pins."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]


def read_project(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


PROJECT = read_project(ROOT / "pyproject.toml")
REQUIREMENTS = [
    *PROJECT["build-system"]["requires"],
    *PROJECT["project"]["dependencies"],
    *(each for extra in PROJECT["project"]["optional-dependencies"].values() for each in extra),
]
PINNED = {
    canonicalize_name(name): version
    for name, _, version in (line.partition("==") for line in (ROOT / "constraints.txt").read_text().split())
}


@pytest.mark.parametrize("text", sorted(set(REQUIREMENTS)))
def test_a_requirement_has_a_lowest_version_and_a_tested_one(text: str) -> None:
    requirement = Requirement(text)
    assert [part.operator for part in requirement.specifier] == [">="]
    assert PINNED[canonicalize_name(requirement.name)] in requirement.specifier


def test_a_package_has_the_same_bound_in_every_extra() -> None:
    bounds: dict[str, set[str]] = {}
    for text in REQUIREMENTS:
        requirement = Requirement(text)
        bounds.setdefault(requirement.name, set()).add(str(requirement.specifier))
    assert {name: found for name, found in bounds.items() if len(found) > 1} == {}
