"""A file of entries that people edit while programs write to it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from redraft.check.locked_lines import MOST_BYTES, LockedLines
from redraft.errors import InputError

HEADING = "# Entries."
WRITER = """
import sys
from pathlib import Path
from redraft.check.locked_lines import LockedLines
listing = LockedLines(Path(sys.argv[1]), "# Entries.")
for number in range(int(sys.argv[3])):
    listing.add(f"{sys.argv[2]}-{number}")
    print(number, flush=True)
"""


@pytest.fixture
def listing(tmp_path) -> LockedLines:
    return LockedLines(tmp_path / "folder" / "entries.txt", HEADING)


def entries(listing: LockedLines) -> list[str]:
    return [line.entry for line in listing.lines()]


def test_nothing_is_there_at_first(listing):
    assert entries(listing) == []
    assert not listing.remove("one")
    assert not listing.path.parent.exists()


def test_entries_come_and_go(listing):
    assert listing.add("one") and listing.add("two") and not listing.add("one")
    assert entries(listing) == ["one", "two"]
    assert listing.remove("one") and not listing.remove("one")
    assert listing.path.read_text() == "# Entries.\ntwo\n"


def test_remarks_and_order_stay_as_a_person_wrote_them(listing):
    listing.path.parent.mkdir()
    listing.path.write_text("\ufeff# mine\r\n\r\n  zebra # striped\r\nC#\r\nlast", encoding="utf-8", newline="")
    assert entries(listing) == ["zebra", "C#", "last"]
    listing.add("new")
    listing.remove("C#")
    assert listing.path.read_bytes().decode() == "# mine\r\n\r\n  zebra # striped\r\nlast\r\nnew\r\n"


def test_a_changed_file_is_read_again_and_an_unchanged_one_is_not(listing):
    listing.add("one")
    first = listing.lines()
    assert listing.lines() is first
    listing.path.write_text("one\ntwo\n")
    assert entries(listing) == ["one", "two"]
    listing.path.unlink()
    assert entries(listing) == []


def test_what_is_not_utf_8_is_named(listing):
    listing.path.parent.mkdir()
    listing.path.write_bytes(b"good\nb\xffd\n")
    with pytest.raises(InputError, match=r"entries\.txt:2 is not UTF-8"):
        listing.lines()


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="a folder that even root may not write to")
def test_a_file_that_cannot_be_written(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(InputError, match="cannot be written"):
        LockedLines(tmp_path / "entries.txt", HEADING).add("one")


def test_version_control_sees_the_entries_alone(listing):
    listing.add("one")
    assert {path.name for path in listing.path.parent.iterdir()} == {"entries.txt", ".gitignore", ".lock"}
    assert "/.lock" in (listing.path.parent / ".gitignore").read_text().split()


@pytest.mark.skipif(sys.platform == "win32", reason="there are no modes")
def test_a_private_file_stays_private(listing):
    listing.add("one")
    listing.path.chmod(0o600)
    listing.add("two")
    assert listing.path.stat().st_mode & 0o777 == 0o600


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real.txt").write_text("one\n")
    (tmp_path / "link.txt").symlink_to(tmp_path / "real.txt")
    LockedLines(tmp_path / "link.txt", HEADING).add("two")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_text() == "one\ntwo\n"


def test_files_are_limited_in_size(tmp_path, monkeypatch):
    (tmp_path / "zero.txt").symlink_to("/dev/zero")
    with pytest.raises(InputError, match="is not a regular file"):
        LockedLines(tmp_path / "zero.txt", HEADING).lines()
    (tmp_path / "large.txt").touch()
    os.truncate(tmp_path / "large.txt", MOST_BYTES + 1)
    with pytest.raises(InputError, match="at most 8,388,608 are read"):
        LockedLines(tmp_path / "large.txt", HEADING).lines()
    monkeypatch.setattr("redraft.check.locked_lines.MOST_BYTES", 20)
    listing = LockedLines(tmp_path / "full.txt", HEADING)
    assert listing.add("word")
    with pytest.raises(InputError, match="is full"):
        listing.add("another")
    assert entries(listing) == ["word"]
    with pytest.raises(InputError, match="at most 10,000 characters"):
        listing.add("a" * 10_001)


def test_a_file_of_a_project_is_inside_it(tmp_path):
    outside, project = tmp_path / "outside", tmp_path / "project"
    outside.mkdir()
    (outside / "theirs.txt").write_text("secret\n")
    (project / ".redraft").mkdir(parents=True)
    for name, target in {"link.txt": "theirs.txt", "new.txt": "missing.txt"}.items():
        (project / ".redraft" / name).symlink_to(outside / target)
        with pytest.raises(InputError, match="outside of the project"):
            LockedLines(project / ".redraft" / name, HEADING, inside=project).add("one")
    with pytest.raises(InputError, match="outside of the project"):
        LockedLines(project / ".redraft" / "link.txt", HEADING, inside=project).lines()
    (project / "folder").symlink_to(outside)
    with pytest.raises(InputError, match="outside of the project"):
        LockedLines(project / "folder" / "words.txt", HEADING, inside=project).add("one")
    (project / ".redraft" / ".lock").symlink_to(outside / "theirs.txt")
    with pytest.raises(InputError, match="outside of the project"):
        LockedLines(project / ".redraft" / "words.txt", HEADING, inside=project).add("one")
    assert {path.name: path.read_text() for path in outside.iterdir()} == {"theirs.txt": "secret\n"}


def start(listing: LockedLines, name: str, count: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-P", "-c", WRITER, str(listing.path), name, str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_eight_writers_at_once_lose_nothing(listing):
    writers = [start(listing, str(number), 20) for number in range(8)]
    for writer in writers:
        writer.communicate()
    assert all(writer.returncode == 0 for writer in writers)
    assert sorted(entries(listing)) == sorted(f"{name}-{number}" for name in range(8) for number in range(20))


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_killed_writer_loses_nothing_it_has_said_to_be_written(listing):
    for name in range(4):
        writer = start(listing, str(name), 100_000)
        assert writer.stdout is not None
        writer.stdout.readline()
        time.sleep(0.05 * name)
        writer.send_signal(signal.SIGKILL)
        said = 1 + len(writer.communicate()[0].splitlines())
        written = entries(listing)
        assert {f"{name}-{number}" for number in range(said - 1)} <= set(written)
        assert len(written) == len(set(written)) and listing.path.read_text().endswith("\n")
    assert listing.add("after")
