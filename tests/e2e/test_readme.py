"""What the README and the user pages show is what a user gets, from the installed command and the embedded model."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).parent.parent.parent
PAGES = [ROOT / "README.md", ROOT / "docs" / "python.md"]
COMMAND = Path(sys.executable).parent / "redraft"


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def sessions(page: Path) -> Iterator[tuple[str, str]]:
    """Commands and what they print; nothing behind a command means that its output differs from run to run."""
    for block in blocks(page, "console"):
        for session in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = session.partition("\n")
            yield command, output


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    line = re.sub(r"(?:scripts/)?redraft (?=[a-z-])", f"{COMMAND} ", command)
    return subprocess.run(["bash", "-c", line], check=False, cwd=folder, capture_output=True, text=True)


@pytest.mark.parametrize(("command", "output"), list(sessions(ROOT / "README.md")))
def test_a_command_prints_what_is_shown(command: str, output: str, tmp_path: Path) -> None:
    done = run(command, tmp_path)
    assert done.returncode in (0, 1), done.stderr
    assert done.stdout == output if output else done.stdout


def test_the_tutorial_goes_as_it_says(tmp_path: Path) -> None:
    steps = list(sessions(ROOT / "docs" / "tutorial.md"))
    assert len(steps) > 3
    for command, output in steps:
        done = run(command, tmp_path)
        assert done.returncode in (0, 1), done.stderr
        assert done.stdout == output


@pytest.mark.parametrize("line", "".join(blocks(ROOT / "docs" / "command-line.md", "sh")).splitlines())
def test_a_command_of_the_guide_works(line: str, tmp_path: Path) -> None:
    for name in ("essay.txt", "letter.txt", "sentences.txt"):
        (tmp_path / name).write_text("She go to school every days.\n", encoding="utf-8")
    done = run(line, tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_an_example_in_python_runs(page: Path) -> None:
    examples = doctest.DocTestParser().get_doctest("\n".join(blocks(page, "pycon")), {}, page.name, str(page), 0)
    assert examples.examples
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    said: list[str] = []
    runner.run(examples, out=said.append)
    assert runner.summarize(verbose=False).failed == 0, "".join(said)


@pytest.mark.parametrize(
    "page", [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))], ids=lambda page: page.name
)
def test_a_link_leads_somewhere(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)[^)]*\)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []
