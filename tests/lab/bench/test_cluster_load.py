from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from redraft.check.options import CheckOptions
from redraft.check.session import Text
from redraft.lab.bench.cluster_load import SimulatedSession, SimulatedSetup, _correct, _summarize
from redraft.settings.options import ModelOptions


@pytest.mark.usefixtures("ray_cluster")
@pytest.mark.parametrize("group", [0, 1 << 18])
def test_the_time_of_real_workers_is_counted(tmp_path: Path, group: int) -> None:
    folder, log = tmp_path / "texts", tmp_path / "log"
    for made in (folder, log):
        made.mkdir()
    for number in range(4):
        (folder / f"{number}.txt").write_text("A text of some words.\n\n" * 20 * (1 + number))
    setup = SimulatedSetup(ModelOptions(threads=1), CheckOptions(), 100_000, log)
    _correct(folder, tmp_path / "corrected", setup, group)
    ended = max(path.stat().st_mtime for path in log.iterdir()) + 1
    found = _summarize(log, ended)
    assert 1 <= found.workers <= 2
    assert found.texts == 4
    assert found.busy + sum(found.waiting) == pytest.approx(1, abs=0.01)
    assert 0 < found.busy < 1
    assert {path.name for path in (tmp_path / "corrected").glob("*.txt")} == {path.name for path in folder.iterdir()}


def test_a_session_takes_time_and_finds_nothing(tmp_path: Path) -> None:
    session = SimulatedSession(10_000, tmp_path)
    texts = [Text("a" * 100), Text("b" * 50)]
    assert [(result.text, result.edits) for result in session.check_many(texts)] == [("a" * 100, ()), ("b" * 50, ())]
    (log,) = tmp_path.iterdir()
    lines = log.read_text().splitlines()
    assert len(lines) == 3


def test_without_ray_a_line_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "ray.py").write_text("raise ImportError")
    command = [sys.executable, "-m", "redraft.lab.bench.cluster_load", "--seconds", "1"]

    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    answer = subprocess.run(command, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True, check=False)
    assert answer.returncode == 1
    assert "install the extra 'ray'" in answer.stderr
