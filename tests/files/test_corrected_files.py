from __future__ import annotations

from pathlib import Path

import pytest

from redraft.checksum import checksum
from redraft.files.corrected_files import CorrectedFiles
from redraft.files.destination import Destination
from redraft.files.journal import Journal


@pytest.mark.parametrize("in_place", [True, False])
def test_a_file_is_done_while_neither_it_nor_its_copy_nor_the_settings_change(tmp_path: Path, in_place: bool) -> None:
    path = tmp_path / "in" / "a.txt"
    path.parent.mkdir()
    path.write_text("wrong")
    destination = Destination(path.parent, None if in_place else tmp_path / "out")
    before = checksum(path)
    with Journal(tmp_path / "journal") as journal:
        corrected = CorrectedFiles(journal, destination, "settings")
        assert not corrected.holds(path, before)
        written = destination.place(path)
        written.parent.mkdir(exist_ok=True)
        written.write_text("right")
        assert corrected.record(path, before, checksum(written))
        assert not corrected.record(path, before, checksum(written))
        assert corrected.holds(path, checksum(path))
        assert not CorrectedFiles(journal, destination, "others").holds(path, checksum(path))
        written.write_text("changed")
        assert not corrected.holds(path, checksum(path))
