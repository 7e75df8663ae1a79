from __future__ import annotations

import json
from pathlib import Path

import pytest

from redraft.errors import InputError
from redraft.files.journal import Entry, Journal

FIRST, SECOND = Entry("a.txt", "1", "2", "s"), Entry("ü.txt", "3", "4", "s")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "journal.jsonl"


def test_what_was_written_down_is_known_to_the_next(path: Path) -> None:
    with Journal(path) as journal:
        journal.record(FIRST)
        journal.record(SECOND)
        assert FIRST in journal
    with Journal(path) as journal:
        assert FIRST in journal
        assert Entry("a.txt", "1", "4", "s") not in journal
        assert journal.wrote("ü.txt", "4", "s")
        assert not journal.wrote("ü.txt", "3", "s")
        assert not journal.wrote("ü.txt", "4", "other settings")


def test_a_line_is_written_once(path: Path) -> None:
    for _ in range(2):
        with Journal(path) as journal:
            journal.record(FIRST)
            assert not journal.record(FIRST)
    (line,) = path.read_text().splitlines()
    assert json.loads(line) == {"file": "a.txt", "input": "1", "output": "2", "settings": "s"}


@pytest.mark.parametrize("kept", range(1, 30, 7))
def test_half_a_line_is_forgotten(path: Path, kept: int) -> None:
    with Journal(path) as journal:
        journal.record(FIRST)
        whole = path.read_bytes()
        journal.record(SECOND)
    path.write_bytes(path.read_bytes()[: len(whole) + kept])
    with Journal(path) as journal:
        assert FIRST in journal
        assert SECOND not in journal
        journal.record(SECOND)
    with Journal(path) as journal:
        assert SECOND in journal


def test_two_runs_do_not_share_a_journal(path: Path) -> None:
    with Journal(path), pytest.raises(InputError, match="another run is at work"):
        Journal(path)
    Journal(path).__exit__(None, None, None)


@pytest.mark.parametrize("line", ["hello", "[]", "{}", '{"file": 1}'])
def test_another_file_is_not_taken_for_one(path: Path, line: str) -> None:
    path.parent.mkdir()
    path.write_text(f"{line}\n")
    with pytest.raises(InputError, match=r"journal\.jsonl:1 is not a line of a journal"):
        Journal(path)
    assert path.read_text() == f"{line}\n"


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot be written"):
        Journal(tmp_path / "file" / "journal")
