"""`redraft fix` of long files, in processes that are really killed, and continued with --resume."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tiny import PAIRS

from redraft.files import reviewer
from redraft.files.long_output import LongOutput
from redraft.files.text_file import hidden_name
from redraft.model.folder import ModelFolder

Run = Callable[..., Any]
MAIN = "from redraft.cli.main import main; main()"
WRONG = [wrong for wrong, _ in PAIRS]


def make_text(paragraphs: int, first: int = 0) -> str:
    """Paragraphs of some sentences, most of which are there only once."""
    numbers = range(first, first + paragraphs)
    return "".join(
        f"{WRONG[number % 8]} {WRONG[number % 7][:-1]} {number}.\n{WRONG[number % 5]} 我们 {number} 去学校。\n\n"
        for number in numbers
    )


@pytest.fixture
def long(tmp_path: Path) -> Path:
    path = tmp_path / "in" / "long.txt"
    path.parent.mkdir()
    path.write_text(f"\ufeff{make_text(1300)}", encoding="utf-8")
    return path


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def read_progress(record: Path) -> int:
    """Number of bytes that are recorded as corrected."""
    try:
        return int(json.loads(record.read_text())["read"])
    except FileNotFoundError:
        return 0


def kill_after(command: list[str], record: Path, records: int) -> int:
    """Starts a command and kills it after it has written a number of records; the exit status."""
    seen = {read_progress(record)}
    with subprocess.Popen([sys.executable, "-c", MAIN, *command], stderr=subprocess.DEVNULL) as process:
        while process.poll() is None:
            seen.add(read_progress(record))
            if len(seen) > records:
                process.kill()
                break
            time.sleep(0.002)
        return process.wait()


@pytest.mark.parametrize("in_place", [True, False])
def test_a_killed_run_is_continued_and_gives_the_same_bytes(
    redraft: Run, tiny_model: ModelFolder, long: Path, tmp_path: Path, in_place: bool
) -> None:
    source, size = long.read_bytes(), long.stat().st_size
    whole = redraft("fix", long, "--output", tmp_path / "right")
    right = (tmp_path / "right" / "long.txt").read_bytes()
    written = long if in_place else tmp_path / "out" / "long.txt"
    options = ["--write"] if in_place else ["--output", str(tmp_path / "out")]
    command = ["fix", str(long), *options, "--model", str(tiny_model.path)]
    record = written.with_name(f"{hidden_name(written)}.progress")
    reached = [0]
    for records in (1, 2, 1):
        assert kill_after([*command, *(["--resume"] if reached[-1] else [])], record, records) == -signal.SIGKILL
        reached.append(read_progress(record))
        assert long.read_bytes() == source
        assert in_place or not written.exists()
    assert 0 < reached[1] < reached[2] < reached[3] < size
    outcome = redraft(*command[:-2], "--resume")
    assert outcome.code == 0
    assert f"long.txt: continued at {reached[3] / size:.1%}" in outcome.err
    # The reports count what all runs have found.
    assert outcome.err.splitlines()[1:] == whole.err.splitlines()
    assert len(whole.err.splitlines()) == 2
    assert written.read_bytes() == right != source
    assert names(written.parent) == {"long.txt"}


@pytest.fixture
def short_sections(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("redraft.files.sections._SECTION_CHARACTERS", 400)
    monkeypatch.setattr("redraft.check.session._GROUP_CHARACTERS", 900)


def interrupt(monkeypatch: pytest.MonkeyPatch, redraft: Run, after: int, *command: object) -> Any:
    """Runs a command that is interrupted after a number of sections."""
    add, added = LongOutput.add, 0

    def stop(*arguments: Any) -> None:
        nonlocal added
        if added == after:
            raise KeyboardInterrupt
        add(*arguments)
        added += 1

    with monkeypatch.context() as patch:
        patch.setattr(LongOutput, "add", stop)
        return redraft(*command)


TEXTS = {
    "paragraphs.txt": make_text(30),
    "one line.txt": make_text(30).replace("\n", " "),
    "wrapped.txt": make_text(30).replace("\n\n", "\n"),
    "page.md": f"# Title\n\n{make_text(15)}```\n{make_text(2)}\n```\n\n* {make_text(9)}",
}


@pytest.mark.usefixtures("short_sections")
@pytest.mark.parametrize("after", [1, 4])
@pytest.mark.parametrize(
    ("name", "by_line"), [*((name, False) for name in TEXTS), ("wrapped.txt", True), ("page.md", True)]
)
def test_every_format_is_continued(
    redraft: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, by_line: bool, after: int
) -> None:
    path = tmp_path / "in" / name
    path.parent.mkdir()
    path.write_text(TEXTS[name], encoding="utf-8", newline="")
    options = [path, *(["--lines"] if by_line else [])]
    whole = redraft("fix", *options, "--output", tmp_path / "right")
    stopped = interrupt(monkeypatch, redraft, after, "fix", *options, "--write")
    assert stopped.code == 130
    assert "; the same command with --resume continues there" in stopped.err
    assert path.read_text(encoding="utf-8") == TEXTS[name]
    outcome = redraft("fix", *options, "--write", "--resume")
    assert f"{name}: continued at " in outcome.err
    assert path.read_bytes() == (tmp_path / "right" / name).read_bytes() != TEXTS[name].encode()
    assert [line for line in outcome.err.splitlines() if ": continued at " not in line] == whole.err.splitlines()
    assert names(path.parent) == {name}


@pytest.mark.usefixtures("short_sections")
def test_a_refused_file_does_not_stop_the_others(redraft: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = tmp_path / "a.txt", tmp_path / "b.txt"
    for path in (first, second):
        path.write_text(make_text(12))
    interrupt(monkeypatch, redraft, 2, "fix", "--write", first)
    left = names(tmp_path)
    refused = redraft("fix", "--write", first, second, "--resume", "--threshold", "0.9")
    assert refused.code == 2
    assert f"{first}: the interrupted run had another model or other options" in refused.err
    assert names(tmp_path) == left
    assert first.read_text() == make_text(12) != second.read_text()
    first.write_text("Another text. " + make_text(12))
    changed = redraft("fix", "--write", first, "--resume")
    assert (changed.code, names(tmp_path)) == (2, left)
    assert "has changed since the interrupted run; start again without --resume" in changed.err
    anew = redraft("fix", "--write", first)
    assert f"{first}: an interrupted run is started again; with --resume it would be continued" in anew.err
    assert names(tmp_path) == {"a.txt", "b.txt"}
    assert first.read_text().startswith("Another text. ")


@pytest.mark.usefixtures("short_sections")
def test_no_more_of_a_file_is_read_that_cannot_be_written(
    redraft: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    linked, other = tmp_path / "linked.txt", tmp_path / "other.txt"
    linked.write_text(make_text(300))
    (tmp_path / "link.txt").hardlink_to(linked)
    other.write_text(WRONG[0])
    read: list[int] = []
    read_sections = reviewer.read_sections

    def count(*arguments: Any) -> Any:
        for section in read_sections(*arguments):
            read.append(1)
            yield section

    monkeypatch.setattr(reviewer, "read_sections", count)
    outcome = redraft("fix", "--write", linked, other)
    assert outcome.code == 2
    assert outcome.err.count("2 hard links") == 1
    assert other.read_text() == PAIRS[0][1]
    assert len(read) < 10


@pytest.mark.usefixtures("short_sections")
@pytest.mark.parametrize("in_place", [True, False])
def test_files_in_a_journal_are_not_corrected_again(
    redraft: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_place: bool
) -> None:
    folder, out = tmp_path / "in", tmp_path / "out"
    folder.mkdir()
    texts = {"a.txt": WRONG[0], "b.txt": make_text(12), "c.txt": make_text(12, 50), "d.txt": WRONG[1]}
    for name, text in texts.items():
        (folder / name).write_text(text)
    redraft("fix", folder, "--output", tmp_path / "right")
    right = {name: (tmp_path / "right" / name).read_text() for name in texts}
    journal = folder / "journal.txt"
    command = ["fix", folder, "--journal", journal, *(["--write"] if in_place else ["--output", out])]
    sections = len(list(reviewer.read_sections(folder / "b.txt", "plain")))
    stopped = interrupt(monkeypatch, redraft, sections + 2, *command)
    assert stopped.code == 130
    done = {name: (folder if in_place else out) / name for name in ("a.txt", "b.txt")}
    times = {name: path.stat().st_mtime_ns for name, path in done.items()}
    outcome = redraft(*command, "--resume")
    assert outcome.code == 0
    assert "2 files were done before" in outcome.err
    assert "c.txt: continued at " in outcome.err
    assert {name: ((folder if in_place else out) / name).read_text() for name in texts} == right
    assert {name: path.stat().st_mtime_ns for name, path in done.items()} == times
    again = redraft(*command)
    assert "4 files were done before" in again.err
    (folder / "d.txt").write_text(WRONG[2])
    assert "3 files were done before" in redraft(*command).err
    assert ((folder if in_place else out) / "d.txt").read_text() == PAIRS[2][1]


@pytest.mark.parametrize("in_place", [True, False])
def test_a_file_that_cannot_be_found_does_not_stop_the_others(redraft: Run, tmp_path: Path, in_place: bool) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    circle, text = folder / "circle.txt", folder / "text.txt"
    circle.symlink_to(circle)
    text.write_text(WRONG[0])
    missing = [circle, folder / ("long" * 100), text / "inside.txt", folder / "missing.txt"]
    options = ["--write"] if in_place else ["--output", tmp_path / "out"]
    outcome = redraft("fix", *missing, text, *options, "--resume")
    assert outcome.code == 2
    assert len(outcome.err.splitlines()) == len(missing) + 1
    assert (text if in_place else tmp_path / "out" / "text.txt").read_text() == PAIRS[0][1]


def test_without_an_interrupted_run_everything_is_done(redraft: Run, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(WRONG[0])
    assert redraft("fix", "--write", path, "--resume").code == 0
    assert path.read_text() == PAIRS[0][1]


@pytest.mark.parametrize("options", [("--file",), ("--write", "--diff"), ("--json", "--file")])
def test_only_files_that_are_written_can_be_continued(redraft: Run, tmp_path: Path, options: tuple[str, ...]) -> None:
    outcome = redraft("fix", tmp_path / "a.txt", "--resume", *options)
    assert outcome.code == 2
    assert "--resume continues writing files" in outcome.err
    outcome = redraft("fix", tmp_path / "a.txt", "--journal", tmp_path / "journal", *options)
    assert outcome.code == 2
    assert "--journal records written files" in outcome.err
