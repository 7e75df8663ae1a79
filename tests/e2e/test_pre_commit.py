"""The hooks of .pre-commit-hooks.yaml, run by pre-commit as in somebody's repository, but with the command at hand."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from redraft.model.folder import ModelFolder

pytestmark = pytest.mark.e2e
clientlib = pytest.importorskip(
    "pre_commit.clientlib", reason="pre-commit, which the development group names, is missing"
)
yaml = pytest.importorskip("yaml")

MANIFEST = Path(__file__).parent.parent.parent / ".pre-commit-hooks.yaml"
PROGRAMS = Path(sys.executable).parent
WRONG, RIGHT = "He have two cat.\n", "He has two cats.\n"


@pytest.fixture
def repository(tmp_path: Path, tiny_model: ModelFolder, monkeypatch: pytest.MonkeyPatch) -> Path:
    if not shutil.which("git"):
        pytest.skip("git is not installed")
    monkeypatch.setenv("PRE_COMMIT_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("REDRAFT_HOME", str(tmp_path / "home"))
    folder = tmp_path / "repository"
    folder.mkdir()
    files = {
        "page.md": f"`{WRONG.strip()}`\n\n{WRONG}",
        "code.py": f'"""{WRONG}"""\n',
        "message": f"{WRONG}\n# {WRONG}",
    }
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    hooks = [{**hook, **at_hand(hook["entry"], tiny_model)} for hook in clientlib.load_manifest(str(MANIFEST))]
    kept = ("id", "name", "entry", "language", "types_or", "stages", "require_serial")
    local = {"repo": "local", "hooks": [{key: hook[key] for key in kept if key in hook} for hook in hooks]}
    (folder / ".pre-commit-config.yaml").write_text(yaml.safe_dump({"repos": [local]}), encoding="utf-8")
    subprocess.run(["git", "init", "--quiet"], check=True, cwd=folder)
    subprocess.run(["git", "add", "."], check=True, cwd=folder)
    return folder


def at_hand(entry: str, model: ModelFolder) -> dict[str, Any]:
    program, rest = entry.split(maxsplit=1)
    return {"entry": f"{PROGRAMS / program} {rest} --model {model.path} --threads 1", "language": "system"}


def run(repository: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [str(PROGRAMS / "pre-commit"), "run", "--color=never", *arguments]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return subprocess.run(command, check=False, cwd=repository, env=environment, capture_output=True, text=True)


def test_findings_stop_a_commit(repository: Path) -> None:
    done = run(repository, "redraft", "--all-files")
    assert done.returncode == 1
    assert "page.md:3:4: agreement" in done.stdout
    assert "code.py" not in done.stdout


def test_files_are_corrected(repository: Path) -> None:
    done = run(repository, "redraft-fix", "--all-files")
    assert "files were modified by this hook" in done.stdout
    assert (repository / "page.md").read_text(encoding="utf-8") == f"`{WRONG.strip()}`\n\n{RIGHT}"
    subprocess.run(["git", "add", "."], check=True, cwd=repository)
    assert run(repository, "redraft", "--all-files").returncode == 0


def test_a_commit_message_is_read_without_its_remarks(repository: Path) -> None:
    done = run(repository, "redraft-commit-message", "--hook-stage", "commit-msg", "--commit-msg-filename", "message")
    assert done.returncode == 1
    assert "message:1:4: agreement" in done.stdout
    assert "message:3" not in done.stdout
