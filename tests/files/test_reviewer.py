from __future__ import annotations

from pathlib import Path

import pytest

from redraft.files.reviewer import FailedFile, FileReviewer, ReviewedFile
from redraft.files.text_file import STDIN
from redraft.model.folder import ModelFolder
from redraft.settings.options import ModelOptions, TextOptions
from redraft.settings.project import Project
from redraft.terminal.progress import Bar

WRONG, RIGHT = "He have two cat.", "He has two cats."


class Counting(Bar):
    def __init__(self) -> None:
        super().__init__()
        self.steps = 0.0

    def __call__(self, steps: float = 1) -> None:
        self.steps += steps


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    (tmp_path / "a.txt").write_text(WRONG)
    (tmp_path / "b.txt").write_bytes(b"\0\0")
    (tmp_path / "d.txt").write_text(WRONG, encoding="utf-16")
    (tmp_path / "e.txt").write_text("")
    (tmp_path / "f.txt").write_text(RIGHT)
    return [tmp_path / f"{name}.txt" for name in "abcdef"]


@pytest.fixture
def reviewer(tmp_path: Path, tiny_model: ModelFolder) -> FileReviewer:
    project = Project.open(TextOptions(), [tmp_path])
    return FileReviewer(project, project.session(ModelOptions(model=str(tiny_model.path), threads=1)))


def test_files_come_in_order_and_failures_between_them(
    reviewer: FileReviewer, files: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    bar = Counting()
    outcomes = list(reviewer.review(reviewer.select(files), bar))
    assert [Path(outcome.name).stem for outcome in outcomes] == ["a", "c", "d", "e", "f"]
    assert [isinstance(outcome, FailedFile) for outcome in outcomes] == [False, True, True, False, False]
    texts = [outcome.result.text for outcome in outcomes if isinstance(outcome, ReviewedFile)]
    assert texts == [RIGHT, "", RIGHT]
    assert reviewer.failed
    assert bar.steps == pytest.approx(len(files))
    capsys.readouterr()
    reviewer.report()
    assert capsys.readouterr().err == f"redraft: left out 1 binary file ({files[1]})\n"


def test_of_many_binary_files_the_first_are_named(
    reviewer: FileReviewer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = [tmp_path / f"{number}.txt" for number in range(5)]
    for name in names:
        name.write_bytes(b"\0")
    assert list(reviewer.review(names, Bar())) == []
    reviewer.report()
    first = ", ".join(map(str, names[:3]))
    assert capsys.readouterr().err == f"redraft: left out 5 binary files ({first}, 2 more)\n"


def test_only_failures_are_reported_all_the_same(reviewer: FileReviewer, files: list[Path]) -> None:
    outcomes = list(reviewer.review(files[2:4], Bar()))
    assert [type(outcome) for outcome in outcomes] == [FailedFile, FailedFile]


def test_a_person_is_told_that_text_is_awaited(
    reviewer: FileReviewer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    assert not reviewer.awaits_typing([Path("a.txt")])
    assert reviewer.awaits_typing([STDIN])
    assert capsys.readouterr().err == "redraft: reading from the terminal; end with Ctrl-D\n"


def test_what_is_excluded_is_said(tmp_path: Path, tiny_model: ModelFolder, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.md"
    page.touch()
    (tmp_path / "table.csv").touch()
    project = Project.open(TextOptions(exclude=["*.md"]), [tmp_path])
    reviewer = FileReviewer(project, project.session(ModelOptions(model=str(tiny_model.path), threads=1)))
    assert reviewer.select([page, tmp_path]) == []
    reviewer.report()
    first, second = capsys.readouterr().err.splitlines()
    assert first == f"redraft: {page} is left out, as --exclude or the project's settings say"
    assert second == "redraft: left out 1 file that is no text to read (see --include)"
