from __future__ import annotations

import os
from pathlib import Path

import pytest

from redraft.atomic_write import atomic_write


def list_names(folder: Path) -> list[str]:
    return sorted(found.name for found in folder.iterdir())


@pytest.mark.parametrize("durable", [False, True])
def test_the_file_appears_at_the_end_of_the_block(tmp_path: Path, durable: bool) -> None:
    path = tmp_path / "a.txt"
    with atomic_write(path, durable=durable) as partial:
        partial.write_text("new")
        assert not path.exists()
    assert path.read_text() == "new"
    assert list_names(tmp_path) == ["a.txt"]


def test_a_failed_block_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")
    with pytest.raises(RuntimeError), atomic_write(path) as partial:
        partial.write_text("half")
        raise RuntimeError
    assert path.read_text() == "old"
    assert list_names(tmp_path) == ["a.txt"]


def test_a_failed_last_check_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")

    def refuse() -> None:
        raise RuntimeError

    with pytest.raises(RuntimeError), atomic_write(path, before_replacing=refuse) as partial:
        partial.write_text("new")
    assert path.read_text() == "old"
    assert list_names(tmp_path) == ["a.txt"]


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
def test_permissions_of_another_file_are_copied(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")
    path.chmod(mode)
    with atomic_write(path, like=path) as partial:
        assert partial.stat().st_mode & 0o777 == 0o600
        partial.write_text("new")
    assert path.stat().st_mode & 0o777 == mode


def test_a_new_file_gets_the_usual_permissions(tmp_path: Path) -> None:
    umask = os.umask(0o027)
    try:
        with atomic_write(tmp_path / "a.txt") as partial:
            partial.write_text("new")
    finally:
        os.umask(umask)
    assert (tmp_path / "a.txt").stat().st_mode & 0o777 == 0o640


def test_what_a_killed_writer_left_is_written_over(tmp_path: Path) -> None:
    (tmp_path / ".a.txt.new").write_text("a longer text of a killed writer")
    with atomic_write(tmp_path / "a.txt", temporary=".a.txt.new") as partial:
        assert partial.name == ".a.txt.new"
        partial.write_text("new")
    assert (tmp_path / "a.txt").read_text() == "new"
    assert list_names(tmp_path) == ["a.txt"]
