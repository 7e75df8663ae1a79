"""`redraft check --baseline`: known findings are not reported, new ones are."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
OLD, NEW = "He have two cat.", "She go to school every days."


@pytest.fixture
def document(tmp_path: Path) -> Path:
    path = tmp_path / "docs" / "old.txt"
    path.parent.mkdir()
    path.write_text(f"{OLD}\n")
    return path


@pytest.fixture
def baseline(redraft: Run, document: Path, tmp_path: Path) -> Path:
    path = tmp_path / "baseline.txt"
    outcome = redraft("check", "--baseline", path, "--update-baseline", document)
    assert (outcome.code, outcome.text) == (0, "")
    assert outcome.err == f"redraft: {path}: 2 known findings\n"
    return path


def test_known_findings_are_not_reported(redraft: Run, document: Path, baseline: Path) -> None:
    outcome = redraft("check", "--baseline", baseline, document)
    assert (outcome.code, outcome.text) == (0, "")
    assert outcome.err == f"redraft: 2 findings not shown: in {baseline}\n"


def test_the_file_itself_is_not_checked(redraft: Run, document: Path, baseline: Path) -> None:
    with baseline.open("a") as file:
        file.write(f"# {NEW}\n\n")
    outcome = redraft("check", "--format", "json", "--baseline", baseline, baseline.parent)
    assert [Path(file["file"]).name for file in json.loads(outcome.out)["files"]] == [document.name]


def test_the_file_can_be_read_by_people(document: Path, baseline: Path) -> None:
    lines = [line.split("\t") for line in baseline.read_text().splitlines() if not line.startswith("#")]
    assert {line[1] for line in lines} == {"docs/old.txt"}
    assert {line[2] for line in lines} == {"“have” → “has”", "“cat” → “cats”"}


def test_new_findings_are_reported(redraft: Run, document: Path, baseline: Path) -> None:
    document.write_text(f"{NEW}\n\n{OLD}\n")
    outcome = redraft("check", "--baseline", baseline, "--format", "json", document)
    assert outcome.code == 1
    (file,) = json.loads(outcome.out)["files"]
    assert [(found["line"], found["source"]) for found in file["findings"]] == [(1, "go"), (1, "days")]


def test_a_second_copy_of_a_known_finding_is_new(redraft: Run, document: Path, baseline: Path) -> None:
    document.write_text(f"{OLD}\n\n{OLD}\n")
    outcome = redraft("check", "--baseline", baseline, document)
    assert outcome.code == 1
    assert [line.split(":")[1] for line in outcome.text.splitlines()] == ["3", "3"]


def test_a_renamed_file_stays_known(redraft: Run, document: Path, baseline: Path) -> None:
    moved = document.rename(document.with_name("new.txt"))
    assert redraft("check", "--baseline", baseline, moved).code == 0


def test_an_update_keeps_the_entries_of_files_that_were_not_checked(
    redraft: Run, document: Path, baseline: Path
) -> None:
    other, gone = document.with_name("other.txt"), document.with_name("gone.txt")
    other.write_text(f"{NEW}\n")
    gone.write_text(f"{NEW}\n")
    redraft("check", "--baseline", baseline, "--update-baseline", other, gone)
    gone.unlink()
    outcome = redraft("check", "--baseline", baseline, "--update-baseline", other)
    assert outcome.err == f"redraft: {baseline}: 4 known findings\n"
    assert redraft("check", "--baseline", baseline, document, other).code == 0
    other.write_text("I agree with you.\n")
    redraft("check", "--baseline", baseline, "--update-baseline", other)
    assert "other.txt" not in baseline.read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--baseline", "absent.txt"], "absent.txt does not exist; --update-baseline writes it"),
        (["--baseline", "broken.txt"], "broken.txt:2: not a line of a baseline; write the file with --update-baseline"),
        (["--update-baseline"], "--update-baseline needs --baseline FILE, the file to write"),
    ],
)
def test_mistakes_are_one_line(
    redraft: Run, document: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(document.parent)
    Path("broken.txt").write_text("# comment\nsomething\n")
    outcome = redraft("check", *arguments, document)
    assert (outcome.code, outcome.err) == (2, f"redraft: {message}\n")
