"""The scripts of the checkout, as far as they go without installing anything."""

from __future__ import annotations

import os
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).parent.parent.parent
SCRIPTS = [*sorted((ROOT / "scripts").iterdir()), ROOT / ".ci" / "run"]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with a space in its path and an environment that is ready: its `redraft` prints what it was given."""
    folder = tmp_path / "check out"
    shutil.copytree(ROOT / "scripts", folder / "scripts")
    for name in ("pyproject.toml", "constraints.txt", "hatch_build.py"):
        shutil.copy(ROOT / name, folder)
    shutil.copytree(ROOT / "redraft" / "engines" / "native", folder / "redraft" / "engines" / "native")
    programs = folder / ".venv" / "bin"
    programs.mkdir(parents=True)
    for name, body in {"redraft": 'printf "<%s>" "$@"', "python": 'echo "$@" >>"$0.log"', "pip": ""}.items():
        (programs / name).write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
        (programs / name).chmod(0o755)
    return folder


def run(script: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(script), *arguments], check=False, cwd="/", env=os.environ | environment, capture_output=True, text=True
    )


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_a_script_is_valid_bash(script: Path) -> None:
    subprocess.run(["bash", "-n", str(script)], check=True)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_what_is_run_may_be_run(script: Path) -> None:
    assert os.access(script, os.X_OK) == script.read_text(encoding="utf-8").startswith("#!")


def test_packages_are_installed_once_and_again_when_their_list_changes(checkout: Path, tmp_path: Path) -> None:
    link = tmp_path / "linked"
    link.symlink_to(checkout / "scripts" / "redraft")
    log = checkout / ".venv" / "bin" / "python.log"
    first = run(link, "fix", "two words")
    assert (first.returncode, first.stdout) == (0, "<fix><two words>")
    assert first.stderr == f"redraft: preparing {checkout}/.venv, which takes a minute\n"
    assert run(link, "--version").stderr == ""
    assert len(log.read_text().splitlines()) == 1
    for number, (name, line) in enumerate(
        (("constraints.txt", "another==1.0\n"), ("redraft/engines/native/network.c", "/**/\n"))
    ):
        with (checkout / name).open("a") as file:
            file.write(line)
        assert run(link, "--version").stderr != ""
        assert len(log.read_text().splitlines()) == 2 + number


def test_what_the_tests_need_reaches_pip_word_for_word(checkout: Path) -> None:
    """A requirement for some machines alone has spaces in it."""
    programs = checkout / ".venv-test" / "bin"
    shutil.copytree(checkout / ".venv" / "bin", programs)
    (programs / "python").write_text('#!/bin/sh\nprintf "<%s>" "$@" >>"$0.log"\n', encoding="utf-8")
    ready = f'here="{checkout}"; source "$here/scripts/environment"; ensure_test_environment'
    subprocess.run(["bash", "-euo", "pipefail", "-c", ready], check=True, capture_output=True)
    given = (programs / "python.log").read_text(encoding="utf-8")
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]
    assert any(" " in requirement for requirement in groups["dev"])
    assert all(f"<{requirement}>" in given for requirement in groups["dev"])


def test_an_old_python_is_told_in_one_line(checkout: Path, tmp_path: Path) -> None:
    programs = tmp_path / "old"
    programs.mkdir()
    for name in ("python", "python3", "python3.11", "python3.12", "python3.13", "python3.14"):
        (programs / name).write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
        (programs / name).chmod(0o755)
    done = run(checkout / "scripts" / "redraft", "--version", PATH=f"{programs}:{os.environ['PATH']}", PYTHON="")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("redraft: Python 3.11 or newer is needed")
    assert done.stderr.count("\n") == 1
