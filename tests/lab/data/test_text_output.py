from __future__ import annotations

import gzip
import lzma
from pathlib import Path

import pytest

from redraft.lab.data.text_output import open_output, write_lines


def test_a_file_that_fails_leaves_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "out.txt"
    write_lines(path, ["old"])
    with pytest.raises(RuntimeError), open_output(path) as file:
        file.write("half")
        raise RuntimeError
    assert path.read_text() == "old\n"
    assert [found.name for found in path.parent.iterdir()] == ["out.txt"]


def test_files_are_compressed_by_name(tmp_path: Path) -> None:
    assert write_lines(tmp_path / "a.tsv.xz", ["é", "b"]) == 2
    assert write_lines(tmp_path / "a.tsv.gz", []) == 0
    assert lzma.decompress((tmp_path / "a.tsv.xz").read_bytes()).decode() == "é\nb\n"
    assert gzip.decompress((tmp_path / "a.tsv.gz").read_bytes()) == b""
