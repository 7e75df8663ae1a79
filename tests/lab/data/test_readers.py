from __future__ import annotations

import bz2
import gzip
import json
import lzma
from pathlib import Path

import pytest

from redraft.errors import InputError
from redraft.lab.data.pair import Pair
from redraft.lab.data.readers import (
    FAULTS_SHOWN,
    Faults,
    Layout,
    detect,
    read_every_side,
    read_lines,
    read_m2,
    read_pairs,
    read_sentences,
)

M2 = """S He go home .
A 1 2|||R:VERB:SVA|||goes|||REQUIRED|||-NONE-|||0
A 1 2|||R:VERB:TENSE|||went|||REQUIRED|||-NONE-|||1

S All is well .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
"""


@pytest.fixture
def faults() -> Faults:
    return Faults()


def pack_zst(data: bytes) -> bytes:
    zstandard = pytest.importorskip("zstandard")
    return bytes(zstandard.ZstdCompressor().compress(data))


@pytest.mark.parametrize("pack", [bytes, lzma.compress, gzip.compress, bz2.compress, pack_zst])
def test_packing_is_seen_from_the_content(pack, faults: Faults, tmp_path: Path) -> None:
    path = tmp_path / "text.any"
    path.write_bytes(pack("  Ünë  two \r\n\nthree\n".encode()))
    assert list(read_sentences(path, faults)) == ["Ünë two", "three"]
    assert faults.report() == ""


def test_lines_that_are_not_utf8_are_noted(faults: Faults, tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"one\n\xff\xfe\nthree\n")
    assert list(read_lines(path, faults)) == [(1, "one"), (3, "three")]
    assert str(faults.first[0]) == f"{path}:2: not UTF-8"


def test_a_torn_file_gives_what_it_has(faults: Faults, tmp_path: Path) -> None:
    path = tmp_path / "text.xz"
    path.write_bytes(lzma.compress("".join(f"line {number}\n" for number in range(50_000)).encode())[:-2000])
    found = list(read_sentences(path, faults))
    assert found[:2] == ["line 0", "line 1"]
    assert "truncated" in faults.first[0].reason


def test_a_missing_file(faults: Faults, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        list(read_sentences(tmp_path / "none", faults))


def test_many_faults_are_counted_and_few_shown(faults: Faults) -> None:
    for line in range(1000):
        faults.note(Path("corpus"), line, "bad")
    assert faults.total == 1000
    assert len(faults.first) == FAULTS_SHOWN
    assert faults.report().endswith("corpus: 1,000 lines skipped")


def test_faults_of_several_readers_add_up(faults: Faults) -> None:
    for count in (2, 4, 3):
        other = Faults()
        for line in range(count):
            other.note(Path("a"), line, "bad")
        other.note(Path(str(count)), 1, "worse")
        faults.add(other)
    assert faults.counts == {Path("a"): 9, Path("2"): 1, Path("4"): 1, Path("3"): 1}
    assert [fault.line for fault in faults.first if fault.path == Path("a")] == [0, 1, 0, 1, 2]
    assert len(faults.first) == FAULTS_SHOWN + 3, "a few of each file"


def test_m2_of_every_annotator(faults: Faults, tmp_path: Path) -> None:
    path = tmp_path / "dev.m2"
    path.write_text(M2)
    first = Pair("He go home .", "He goes home .")
    same = Pair("All is well .", "All is well .")
    assert list(read_pairs(path, faults)) == [first, Pair("He go home .", "He went home ."), same]
    assert list(read_pairs(path, faults, every_annotator=False)) == [first, same]
    assert list(read_every_side(path, faults)).count("He go home .") == 2


def test_a_damaged_m2_block_is_passed_over(faults: Faults, tmp_path: Path) -> None:
    path = tmp_path / "dev.m2"
    path.write_text(M2.replace("A 1 2|||R:VERB:SVA", "A 7 9|||R:VERB:SVA"))
    assert [sentence.tokens[0] for sentence in read_m2(path, faults)] == ["All"]
    assert faults.first[0].line == 1
    assert faults.total == 1


def test_tsv(faults: Faults, tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv"
    path.write_text("a  b\tc\textra\nno tab\n\nd\te\n")
    assert list(read_pairs(path, faults)) == [Pair("a b", "c"), Pair("d", "e")]
    assert [fault.line for fault in faults.first] == [2]


def test_parallel_files_stay_in_step(faults: Faults, tmp_path: Path) -> None:
    (tmp_path / "train.src").write_bytes(b"one\ntwo\n\xff\nfour\nfive\n")
    (tmp_path / "train.tgt").write_bytes(b"1\n2\n3\n4\n")
    pairs = list(read_pairs(tmp_path / "train.src", faults))
    assert pairs == [Pair("one", "1"), Pair("two", "2"), Pair("four", "4")]
    assert [fault.line for fault in faults.first] == [3, 5]


def test_jfleg(faults: Faults, tmp_path: Path) -> None:
    (tmp_path / "dev.src").write_text("He go .\n")
    (tmp_path / "dev.ref0").write_text("He goes .\n")
    (tmp_path / "dev.ref1").write_text("He went .\n")
    assert detect(tmp_path) is Layout.JFLEG
    assert [pair.target for pair in read_pairs(tmp_path, faults)] == ["He goes .", "He went ."]
    assert [pair.target for pair in read_pairs(tmp_path, faults, every_annotator=False)] == ["He goes ."]


def test_bea_folder_and_json(faults: Faults, tmp_path: Path) -> None:
    (tmp_path / "m2").mkdir()
    (tmp_path / "m2" / "A.train.gold.bea19.m2").write_text(M2)
    assert detect(tmp_path) is Layout.BEA19
    assert len(list(read_pairs(tmp_path, faults))) == 3
    essay = {"text": "He go home.\nAll is well.", "edits": [[0, [[3, 5, "goes"], [12, 15, None]]]]}
    path = tmp_path / "A.train.json"
    path.write_text(json.dumps(essay) + "\n{}\n" + json.dumps({"text": "x", "edits": [[0, [[0, 9, "y"]]]]}) + "\n")
    assert list(read_pairs(path, faults)) == [
        Pair("He go home.", "He goes home."),
        Pair("All is well.", "All is well."),
    ]
    assert [fault.line for fault in faults.first] == [2, 3]


def test_an_unknown_layout_says_what_to_do(faults: Faults, tmp_path: Path) -> None:
    (tmp_path / "corpus.bin").write_text("x\n")
    with pytest.raises(InputError, match="--layout m2"):
        detect(tmp_path / "corpus.bin")
    with pytest.raises(InputError, match="neither"):
        detect(tmp_path)
    with pytest.raises(InputError, match="no target file"):
        list(read_pairs(tmp_path / "corpus.bin", faults, Layout.PARALLEL))
