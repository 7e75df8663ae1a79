from __future__ import annotations

import lzma
from pathlib import Path

import pytest

from redraft.errors import InputError
from redraft.lab.train.corpus import Lines, expand_patterns, index_files, index_of, read_excluded

TEXT = ["First line.", "Zweite Zeile mit ß.", "третья строка", "x"]


@pytest.fixture
def packed(tmp_path: Path) -> list[Path]:
    one, two = tmp_path / "one.txt.xz", tmp_path / "two.txt"
    one.write_bytes(lzma.compress("\n".join(TEXT).encode()))
    two.write_text("Last line.\n\n", encoding="utf-8")
    return [one, two]


def test_lines_of_several_files_are_numbered_through(packed, tmp_path):
    indexed = index_files(packed, tmp_path / "text", frozenset())
    lines = Lines(indexed.files)
    assert [lines[number] for number in range(len(lines))] == [*TEXT, "Last line."]
    assert (indexed.lines, indexed.excluded) == (6, 1)  # an empty line is no sentence


def test_several_processes_write_the_same_files(packed, tmp_path):
    assert [path.read_bytes() for path in index_files(packed, tmp_path / "a", frozenset(), 2).files] == [
        path.read_bytes() for path in index_files(packed, tmp_path / "b", frozenset()).files
    ]


def test_excluded_sentences_are_left_out_however_they_are_spelled(packed, tmp_path):
    held, dev = tmp_path / "held.txt", tmp_path / "dev.m2"
    held.write_text("FIRST line!\n", encoding="utf-8")
    dev.write_text("S Last line .\nA 0 1|||R|||The|||REQUIRED|||-NONE-|||0\n\n", encoding="utf-8")
    indexed = index_files(packed, tmp_path / "text", read_excluded([held, dev]))
    lines = Lines(indexed.files)
    assert [lines[number] for number in range(len(lines))] == TEXT[1:]


def test_the_same_files_are_indexed_once(packed, tmp_path):
    first = index_files(packed, tmp_path / "text", frozenset())
    made = first.files[0].stat().st_mtime_ns
    assert index_files(packed, tmp_path / "text", frozenset()) == first
    assert first.files[0].stat().st_mtime_ns == made
    index_of(first.files[0]).unlink()
    assert index_files(packed, tmp_path / "text", frozenset()) == first
    assert index_of(first.files[0]).exists()


def test_damage_is_named(tmp_path):
    assert expand_patterns("nothing*.txt", tmp_path) == []
    bad = tmp_path / "bad.txt.xz"
    bad.write_bytes(b"not xz")
    with pytest.raises(InputError, match=r"bad\.txt\.xz: damaged"):
        index_files([bad], tmp_path / "text", frozenset())
    latin = tmp_path / "latin.txt"
    latin.write_bytes(b"fine\ncaf\xe9\n")
    with pytest.raises(InputError, match=r"latin\.txt:2: not UTF-8"):
        index_files([latin], tmp_path / "text", frozenset())
    (tmp_path / "empty.txt").touch()
    with pytest.raises(InputError, match="no line is left"):
        index_files([tmp_path / "empty.txt"], tmp_path / "text", frozenset())
