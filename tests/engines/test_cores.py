from __future__ import annotations

import os
from pathlib import Path

import pytest

from redraft.engines import cores


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Four cores with two threads each, and no container."""
    for processor in range(8):
        (tmp_path / str(processor)).write_text(f"{processor % 4},{processor % 4 + 4}\n")
    monkeypatch.setattr(cores, "_SIBLINGS", f"{tmp_path}/{{}}")
    monkeypatch.setattr(cores, "_QUOTA", f"{tmp_path}/cpu.max")
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)
    return tmp_path


def test_threads_of_one_core_count_once(machine: Path) -> None:
    assert cores.usable_cores() == 4


def test_where_cores_cannot_be_told_all_processors_count_up_to_a_limit(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cores, "_SIBLINGS", f"{machine}/nowhere/{{}}")
    assert cores.usable_cores() == 8
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(64)), raising=False)
    assert cores.usable_cores() == 8


def test_a_process_that_may_run_on_one_core_has_one(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {1, 5}, raising=False)
    assert cores.usable_cores() == 1


@pytest.mark.parametrize(
    ("quota", "expected"), [("max 100000", 4), ("200000 100000", 2), ("150000 100000", 2), ("1000 100000", 1), ("", 4)]
)
def test_a_container_s_quota_holds(machine: Path, quota: str, expected: int) -> None:
    (machine / "cpu.max").write_text(f"{quota}\n")
    assert cores.usable_cores() == expected
