"""Folders corrected on a real Ray, with workers and runs that are really killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from marking import BROKEN, DEADLY, doubling
from tiny import PAIRS

from redraft.check.loading import load
from redraft.check.session import CheckSession, Text
from redraft.files import bulk as module
from redraft.files.bulk import Bulk
from redraft.files.cluster import Cluster, open_cluster
from redraft.files.destination import Destination
from redraft.files.journal import JOURNAL, LOCK_SUFFIX, Journal
from redraft.files.reviewer import FileReader
from redraft.files.settings_checksum import identify
from redraft.model.folder import ModelFolder
from redraft.settings.options import ModelOptions, TextOptions
from redraft.settings.project import Project
from redraft.terminal.progress import Bar

pytestmark = pytest.mark.usefixtures("ray_cluster")
Run = Callable[..., Any]
LONG_RUN = 200
GROUP = 1 << 15
"""Characters that a worker gets in a call: several files or sections."""
MAIN = "from redraft.cli.main import main; main()"


class Watching(Bar):
    """Calls somebody at every step."""

    def __init__(self, watch: Callable[[], None]) -> None:
        super().__init__()
        self.done = 0.0
        self._watch = watch

    def __call__(self, steps: float = 1) -> None:
        self.done += steps
        self._watch()


@dataclass(frozen=True)
class Double:
    """Doubles the texts of a folder's files: what is done twice is there four times."""

    folder: Path
    output: Path | None = None
    group: int = 0

    def __call__(self, watch: Callable[[Cluster[Any]], None] = lambda cluster: None) -> tuple[Bulk, FileReader]:
        project = Project.open(TextOptions(isolated=True), [self.folder])
        destination = Destination(self.folder, self.output)
        reader, opened = FileReader(project), []

        @contextmanager
        def opening() -> Iterator[Cluster[Any]]:
            with open_cluster(doubling(), 2, self.group) as cluster:
                opened.append(cluster)
                yield cluster

        bar = Watching(lambda: watch(opened[0]) if opened else None)
        paths = reader.select([self.folder])
        with Journal(self.journal) as journal:
            bulk = Bulk(project, reader, journal, destination, "settings")
            bulk.correct(paths, opening, bar)
        assert bar.done == pytest.approx(len(paths))
        return bulk, reader

    @property
    def journal(self) -> Path:
        return (self.output or self.folder) / JOURNAL

    @property
    def recorded(self) -> Counter[str]:
        return Counter(json.loads(line)["file"] for line in self.journal.read_text().splitlines())

    def texts(self, folder: Path | None = None) -> dict[str, str]:
        return {path.name: path.read_text() for path in (folder or self.folder).glob("*.txt")}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(20):
        (folder / f"{number}.txt").write_text(f"text {number}.")
    return folder


def doubled(number: int) -> dict[str, str]:
    return {f"{number}.txt": f"text {number}." * 2 for number in range(number)}


@pytest.mark.parametrize("group", [0, GROUP])
@pytest.mark.parametrize("in_place", [True, False])
def test_nothing_is_lost_and_nothing_done_twice_when_a_worker_is_killed(
    folder: Path, tmp_path: Path, in_place: bool, group: int
) -> None:
    double = Double(folder, None if in_place else tmp_path / "out", group)
    killed: list[int] = []

    def kill(cluster: Cluster[Any]) -> None:
        if not killed:
            killed.append(cluster.pids[0])
            os.kill(killed[0], signal.SIGKILL)

    bulk, reader = double(kill)
    assert killed
    assert (bulk.deaths, reader.failed) == (1, False)
    assert double.texts(double.output) == doubled(20)
    assert double.recorded == Counter(f"{number}.txt" for number in range(20))
    again, _ = double()
    assert again.known == 20
    assert double.texts(double.output) == doubled(20)
    assert double.recorded.total() == 20


@pytest.mark.parametrize("group", [0, GROUP])
@pytest.mark.parametrize(
    ("text", "reason"), [(DEADLY, "3 workers crashed while checking it"), (BROKEN, "a worker failed (ValueError)")]
)
def test_a_file_no_worker_can_check_stays_and_the_others_are_done(
    folder: Path, capsys: pytest.CaptureFixture[str], text: str, reason: str, group: int
) -> None:
    (folder / "bad.txt").write_text(text)
    double = Double(folder, group=group)
    _, reader = double()
    assert reader.failed
    assert double.texts() == doubled(20) | {"bad.txt": text}
    assert double.recorded == Counter(f"{number}.txt" for number in range(20))
    shown = capsys.readouterr().err
    assert f"bad.txt is left as it is: {reason}" in shown
    assert shown.count("is left as it is") == 1


@pytest.mark.parametrize("written", [True, False])
def test_a_run_that_ends_between_line_and_file_does_nothing_twice(
    folder: Path, monkeypatch: pytest.MonkeyPatch, written: bool
) -> None:
    double = Double(folder)
    write = Destination.write

    def end(*arguments: Any) -> None:
        if written:
            write(*arguments)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Destination, "write", end)
        with pytest.raises(KeyboardInterrupt):
            double()
    assert double.recorded.total() == 1
    bulk, _ = double()
    assert bulk.known == written
    assert double.texts() == doubled(20)
    assert double.recorded == Counter(f"{number}.txt" for number in range(20))


def test_what_changed_since_is_done_again(folder: Path, tmp_path: Path) -> None:
    double = Double(folder, tmp_path / "out")
    double()
    (folder / "1.txt").write_text("new.")
    (tmp_path / "out" / "2.txt").unlink()
    bulk, _ = double()
    assert bulk.known == 18
    assert double.texts(double.output) == doubled(20) | {"1.txt": "new." * 2}


def test_the_run_itself_may_be_killed(redraft: Run, ray_cluster: str, tiny_model: ModelFolder, tmp_path: Path) -> None:
    sentences = [wrong for wrong, _ in PAIRS]
    for number in range(LONG_RUN):
        chosen = [sentences[(number >> shift) % len(sentences)] for shift in range(4)]
        (tmp_path / f"{number}.txt").write_text("\n\n".join(chosen))
    files = sorted(tmp_path.glob("*.txt"))
    here = CheckSession(load(tiny_model.path, threads=1))
    right = [result.text for result in here.check_many(Text(path.read_text()) for path in files)]
    command = ["fix", str(tmp_path), "--engine", "ray", "--write"]
    journal = tmp_path / JOURNAL
    process = subprocess.Popen(
        [sys.executable, "-c", MAIN, *command, "--model", str(tiny_model.path)],
        env=os.environ | {"RAY_ADDRESS": ray_cluster},
        stderr=subprocess.DEVNULL,
    )
    try:
        while not journal.exists() or journal.read_bytes().count(b"\n") < 5:
            assert process.poll() is None
            time.sleep(0.005)
    finally:
        process.kill()
        process.wait()
    done = [json.loads(line)["file"] for line in journal.read_text().splitlines()]
    assert 5 <= len(done) < LONG_RUN
    times = {name: (tmp_path / name).stat().st_mtime_ns for name in done[:-1]}  # the last may not be written yet

    outcome = redraft(*command)
    assert outcome.code == 0
    assert "files were done before" in outcome.err
    assert [path.read_text() for path in files] == right
    recorded = Counter(json.loads(line)["file"] for line in journal.read_text().splitlines())
    assert recorded == Counter(path.name for path in files)
    assert {name: (tmp_path / name).stat().st_mtime_ns for name in times} == times
    assert {path.name for path in tmp_path.iterdir() if path.suffix != ".txt"} == {JOURNAL, JOURNAL + LOCK_SUFFIX}


@pytest.mark.parametrize("group", [0, GROUP])
def test_a_cluster_writes_the_same_bytes(
    redraft: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, group: int
) -> None:
    wrong = [pair[0] for pair in PAIRS]
    texts = {
        "a.txt": "\n\n".join(wrong).encode(),
        "b.md": f"\ufeff# Title\r\n\r\n* {wrong[0]}\r\n\r\n```\r\n{wrong[1]}\r\n```\r\n\r\n{wrong[2]}".encode(),
        "sub/c.txt": f"{wrong[3]}\n\n".encode() + b"caf\xe9 \xff",
        "empty.txt": b"",
        "blank.txt": b" \n\n",
    }
    for name, data in texts.items():
        path = tmp_path / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    monkeypatch.setattr(module, "_SECTION_CHARACTERS", 40)
    monkeypatch.setattr("redraft.files.cluster.open_cluster", partial(open_cluster, group_characters=group))
    clustered = redraft("fix", tmp_path / "in", "--engine", "ray", "--output", tmp_path / "out")
    serial = redraft("fix", tmp_path / "in", "--output", tmp_path / "serial")
    assert (clustered.code, serial.code, clustered.out) == (0, 0, b"")
    for name, data in texts.items():
        written = (tmp_path / "out" / name).read_bytes()
        assert written == (tmp_path / "serial" / name).read_bytes()
        assert (written != data) == (name in ("a.txt", "b.md", "sub/c.txt"))
        assert (tmp_path / "in" / name).read_bytes() == data


@pytest.mark.parametrize("group", [0, GROUP])
def test_killed_workers_change_no_byte(redraft: Run, tiny_model: ModelFolder, tmp_path: Path, group: int) -> None:
    """Several files, of which one is long, with a paragraph that is longer than a section."""
    wrong = [pair[0] for pair in PAIRS]
    numbered = [f"{wrong[number % 8][:-1]} {number}. {wrong[number % 7]}" for number in range(400)]
    # In the first sections of this paragraph the lines look like verses, in the last ones like wrapped text.
    verses = "\n".join(f"{wrong[number % 3][:-1]}" for number in range(1200))
    wrapped = "\n".join(f"{wrong[number % 8]} {wrong[number % 5]} {wrong[number % 3][:-1]}" for number in range(120))
    texts = {
        "long.txt": "\n\n".join([*numbered[:200], f"{verses}\n{wrapped}", *numbered[200:]]),
        "page.md": f"# Title\n\n* {wrong[0]}\n\n```\n{wrong[1]}\n```\n\n" + "\n\n".join(numbered[:99]),
        **{f"{number}.txt": "\n\n".join(numbered[number : 300 : 7 + number]) for number in range(6)},
    }
    folder = tmp_path / "in"
    folder.mkdir()
    for name, text in texts.items():
        (folder / name).write_text(text)
    assert redraft("fix", folder, "--output", tmp_path / "serial").code == 0

    project = Project.open(TextOptions(isolated=True), [folder])
    reader, opened = FileReader(project), []
    killed: list[int] = []

    @contextmanager
    def opening() -> Iterator[Cluster[Any]]:
        with open_cluster(project.setup(ModelOptions(model=str(tiny_model.path))), 2, group) as cluster:
            opened.append(cluster)
            yield cluster

    def kill() -> None:
        """Kills a worker as soon as the deaths of the others were noticed and there is one."""
        if opened and len(killed) < 3 and opened[0].deaths == len(killed) and opened[0].pids:
            killed.append(opened[0].pids[-1])
            os.kill(killed[-1], signal.SIGKILL)

    with Journal(tmp_path / JOURNAL) as journal:
        bulk = Bulk(project, reader, journal, Destination(folder, tmp_path / "out"), "settings")
        bulk.correct(reader.select([folder]), opening, Watching(kill))
    assert (bulk.deaths, len(set(killed)), reader.failed) == (3, 3, False)
    for name, text in texts.items():
        written = (tmp_path / "out" / name).read_bytes()
        assert written == (tmp_path / "serial" / name).read_bytes() != text.encode()


def test_files_that_cannot_be_read_stop_nothing(redraft: Run, tmp_path: Path) -> None:
    (tmp_path / "bad.txt").write_text(PAIRS[0][0], encoding="utf-16")
    (tmp_path / "binary.txt").write_bytes(b"\0\0")
    (tmp_path / "good.txt").write_text(PAIRS[0][0])
    outcome = redraft("fix", tmp_path, tmp_path / "missing.txt", "--engine", "ray", "--write")
    assert outcome.code == 2
    assert (tmp_path / "good.txt").read_text() == PAIRS[0][1]
    assert "bad.txt is UTF-16" in outcome.err
    assert "there is no file" in outcome.err
    assert f"left out 1 binary file ({tmp_path}/binary.txt)" in outcome.err


def test_settings_are_those_that_change_the_result(tiny_model: ModelFolder, tmp_path: Path) -> None:
    project = Project.open(TextOptions(), [tmp_path])
    model = ModelOptions(model=str(tiny_model.path))

    def named(options: ModelOptions, project: Project = project) -> str:
        return identify(project.setup(options), project)

    usual = named(model)
    assert named(replace(model, threads=7)) == usual
    words = tmp_path / "words.txt"
    words.write_text("go\n")
    others = [replace(model, threshold=0.5), replace(model, precision="fp32"), replace(model, dictionary=[words])]
    elsewhere = Project.open(TextOptions(kind=["spelling"]), [tmp_path])
    assert len({usual, *map(named, others), named(model, elsewhere)}) == 5
