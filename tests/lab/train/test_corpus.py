from __future__ import annotations

import lzma
from pathlib import Path

import pytest

from redraft.errors import InputError
from redraft.lab.train.corpus import Lines, expand, gather, index_of, read_excluded

TEXT = ["First line.", "Zweite Zeile mit ß.", "третья строка", "x"]


@pytest.fixture
def packed(tmp_path: Path) -> list[Path]:
    one, two = tmp_path / "one.txt.xz", tmp_path / "two.txt"
    one.write_bytes(lzma.compress("\n".join(TEXT).encode()))
    two.write_text("Last line.\n\n", encoding="utf-8")
    return [one, two]


def test_lines_of_several_files_are_numbered_through(packed, tmp_path):
    gathered = gather(packed, tmp_path / "text", frozenset())
    lines = Lines(gathered.files)
    assert [lines[number] for number in range(len(lines))] == [*TEXT, "Last line."]
    assert (gathered.lines, gathered.excluded) == (6, 1)  # an empty line is no sentence


def test_several_processes_gather_the_same(packed, tmp_path):
    assert [path.read_bytes() for path in gather(packed, tmp_path / "a", frozenset(), 2).files] == [
        path.read_bytes() for path in gather(packed, tmp_path / "b", frozenset()).files
    ]


def test_excluded_sentences_are_left_out_however_they_are_spelled(packed, tmp_path):
    held, dev = tmp_path / "held.txt", tmp_path / "dev.m2"
    held.write_text("FIRST line!\n", encoding="utf-8")
    dev.write_text("S Last line .\nA 0 1|||R|||The|||REQUIRED|||-NONE-|||0\n\n", encoding="utf-8")
    gathered = gather(packed, tmp_path / "text", read_excluded([held, dev]))
    lines = Lines(gathered.files)
    assert [lines[number] for number in range(len(lines))] == TEXT[1:]


def test_the_same_files_are_gathered_once(packed, tmp_path):
    first = gather(packed, tmp_path / "text", frozenset())
    made = first.files[0].stat().st_mtime_ns
    assert gather(packed, tmp_path / "text", frozenset()) == first
    assert first.files[0].stat().st_mtime_ns == made
    index_of(first.files[0]).unlink()
    assert gather(packed, tmp_path / "text", frozenset()) == first
    assert index_of(first.files[0]).exists()


def test_damage_is_named(tmp_path):
    with pytest.raises(InputError, match="no training file matches"):
        expand(["nothing*.txt"], tmp_path)
    bad = tmp_path / "bad.txt.xz"
    bad.write_bytes(b"not xz")
    with pytest.raises(InputError, match=r"bad\.txt\.xz: damaged"):
        gather([bad], tmp_path / "text", frozenset())
    latin = tmp_path / "latin.txt"
    latin.write_bytes(b"fine\ncaf\xe9\n")
    with pytest.raises(InputError, match=r"latin\.txt:2: not UTF-8"):
        gather([latin], tmp_path / "text", frozenset())
    (tmp_path / "empty.txt").touch()
    with pytest.raises(InputError, match="no line is left"):
        gather([tmp_path / "empty.txt"], tmp_path / "text", frozenset())
