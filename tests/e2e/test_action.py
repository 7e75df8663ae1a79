"""The action definition: its one command, run as a GitHub runner would run it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from redraft.model.folder import ModelFolder

ACTION = Path(__file__).parents[2] / "action.yml"
LAUNCHER = f'#!/usr/bin/env bash\nexec {sys.executable} -P -c "from redraft.cli.main import main; main()" "$@"\n'


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "redraft").write_text(LAUNCHER)
    (tmp_path / "scripts" / "redraft").chmod(0o755)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "one.md").write_text("He have two cat.\n")
    (tmp_path / "two.txt").write_text("I agree with you.\n")
    return tmp_path


def run_action(repository: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    definition = yaml.safe_load(ACTION.read_text(encoding="utf-8"))
    (step,) = definition["runs"]["steps"]
    values = {name: given["default"] for name, given in definition["inputs"].items()} | inputs
    environment = {
        name: values[value.removeprefix("${{ inputs.").removesuffix(" }}")] for name, value in step["env"].items()
    }
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=repository,
        env={**os.environ, **environment, "GITHUB_ACTION_PATH": str(repository)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_findings_are_annotations_and_fail_the_step(repository: Path, tiny_model: ModelFolder) -> None:
    outcome = run_action(repository, options=f"--model {tiny_model.path}")
    assert outcome.returncode == 1, outcome.stderr
    first, second = outcome.stdout.splitlines()
    assert first.startswith("::warning file=docs/one.md,line=1,endLine=1,col=4,endColumn=8,title=redraft")
    assert second.startswith("::warning file=docs/one.md,line=1,endLine=1,col=13,endColumn=16,title=redraft")


def test_inputs_are_split_at_spaces_and_patterns_are_left_to_redraft(repository: Path, tiny_model: ModelFolder) -> None:
    outcome = run_action(repository, options=f"--model {tiny_model.path}", files="docs/*.md two.txt", format="text")
    assert (outcome.returncode, outcome.stdout.count("docs/one.md:1")) == (1, 2)
    outcome = run_action(repository, options=f"--model {tiny_model.path}", files="two.txt")
    assert (outcome.returncode, outcome.stdout) == (0, "")
