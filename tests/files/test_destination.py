from __future__ import annotations

import stat
from pathlib import Path

import pytest

from redraft.errors import InputError
from redraft.files.destination import Destination
from redraft.files.text_file import read


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "in" / "sub" / "page.txt"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"\xef\xbb\xbfbefore \xff")
    path.chmod(0o640)
    return path


def test_files_lie_in_the_output_as_they_lay(page: Path, tmp_path: Path) -> None:
    destination = Destination(tmp_path / "in", tmp_path / "out")
    destination.write(page, read(page), "after \udcff")
    written = tmp_path / "out" / "sub" / "page.txt"
    assert destination.place(page) == written
    assert written.read_bytes() == b"\xef\xbb\xbfafter \xff"
    assert stat.S_IMODE(written.stat().st_mode) == 0o640
    assert page.read_bytes() == b"\xef\xbb\xbfbefore \xff"
    assert list(written.parent.iterdir()) == [written]
    assert destination.holds(written)
    assert not destination.holds(page)


def test_in_place_only_changes_are_written(page: Path, tmp_path: Path) -> None:
    destination = Destination(tmp_path / "in")
    source, untouched = read(page), page.stat().st_mtime_ns
    destination.write(page, source, source.text)
    assert page.stat().st_mtime_ns == untouched
    destination.write(page, source, "after")
    assert page.read_bytes() == b"\xef\xbb\xbfafter"
    assert not destination.holds(page)


def test_a_file_has_one_name_however_it_is_reached(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    destination = Destination(tmp_path / "in", tmp_path / "out")
    monkeypatch.chdir(page.parent)
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "in")
    for path in (page, Path("page.txt"), Path("../sub/page.txt"), link / "sub" / "page.txt"):
        assert destination.name(path) == "sub/page.txt"


def test_an_output_that_holds_the_files_is_refused(page: Path, tmp_path: Path) -> None:
    for output in (tmp_path / "in", tmp_path, tmp_path / "in" / ".." / "in"):
        with pytest.raises(InputError, match="contains the files themselves"):
            Destination(tmp_path / "in", output)
    with pytest.raises(InputError, match="is not a folder"):
        Destination(tmp_path / "in", page)
    Destination(tmp_path / "in", tmp_path / "in" / "out")
