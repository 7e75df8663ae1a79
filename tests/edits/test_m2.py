from __future__ import annotations

import lzma
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redraft.edits.m2 import M2Edit, M2Sentence, read, write
from redraft.errors import InputError

SAMPLE = """S She go to school every days .
A 1 2|||R:VERB:SVA|||goes|||REQUIRED|||-NONE-|||0
A 5 6|||R:NOUN:NUM|||day|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

S It rained .

"""

words = st.text(alphabet="abcé'.", min_size=1, max_size=4)


@st.composite
def sentences(draw: st.DrawFn) -> M2Sentence:
    tokens = tuple(draw(st.lists(words, max_size=6)))
    edits = []
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(tokens)))
        edits.append(
            M2Edit(
                start=start,
                end=draw(st.integers(start, len(tokens))),
                kind=draw(st.sampled_from(["R:VERB", "M:DET", "Others"])),
                corrections=tuple(draw(st.lists(st.lists(words, max_size=2).map(" ".join), min_size=1, max_size=3))),
                annotator=draw(st.integers(0, 3)),
            )
        )
    if draw(st.booleans()):
        edits.append(M2Edit(-1, -1, "noop", ("",), annotator=4))
    return M2Sentence(tokens, tuple(edits))


def test_reads_tokens_edits_and_annotators() -> None:
    first, second = read(SAMPLE.splitlines())
    assert first.tokens == ("She", "go", "to", "school", "every", "days", ".")
    assert [edit.corrections for edit in first.annotations[0]] == [("goes",), ("day",)]
    assert first.annotations[1] == ()
    assert second.annotations == {0: ()}


def test_alternatives_are_split_and_none_is_empty() -> None:
    lines = ["S a b", "A 0 1|||X|||the||an |||REQUIRED|||-NONE-|||0", "A 1 2|||X|||-NONE-|||REQUIRED|||-NONE-|||0"]
    (sentence,) = read(lines)
    assert [edit.corrections for edit in sentence.edits] == [("the", "an"), ("",)]


def test_a_file_comes_back_byte_for_byte(tmp_path: Path) -> None:
    path = tmp_path / "gold.m2"
    path.write_text(SAMPLE)
    assert "".join(write(read(path))) == SAMPLE


def test_reads_xz_and_windows_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "gold.m2.xz"
    path.write_bytes(lzma.compress(SAMPLE.replace("\n", "\r\n").encode()))
    assert list(read(path)) == list(read(SAMPLE.splitlines()))


def test_a_line_separator_inside_a_sentence_ends_no_line(tmp_path: Path) -> None:
    path = tmp_path / "gold.m2"
    path.write_text("S one two\u2028three four\n", encoding="utf-8")
    assert next(read(path)).tokens == ("one", "two", "three", "four")


@given(st.lists(sentences(), min_size=1, max_size=3))
def test_what_is_written_is_read_again(blocks: list[M2Sentence]) -> None:
    assert list(read(write(blocks))) == blocks


def test_correcting_applies_one_annotator() -> None:
    first, second = read(SAMPLE.splitlines())
    assert " ".join(first.corrected()) == "She goes to school every day ."
    assert first.corrected(1) == first.tokens
    assert second.corrected() == second.tokens


def test_correcting_leaves_out_the_later_of_two_overlapping_edits() -> None:
    edits = (M2Edit(1, 3, "X", ("late",)), M2Edit(0, 2, "X", ("early",)), M2Edit(3, 3, "X", ("end",)))
    assert M2Sentence(("a", "b", "c"), edits).corrected() == ("early", "c", "end")


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["S a b", "A 1 3|||X|||c|||REQUIRED|||-NONE-|||0"], "gold:2: offsets 1 3 do not fit a sentence of 2 tokens"),
        (["S a b", "A 2 1|||X|||c|||REQUIRED|||-NONE-|||0"], "gold:2: offsets 2 1"),
        (["S a b", "A -1 0|||X|||c|||REQUIRED|||-NONE-|||0"], "gold:2: offsets -1 0"),
        (["S a b", "A 0 1|||X|||c|||0"], "gold:2: an A line needs 6 fields"),
        (["S a b", "A x 1|||X|||c|||REQUIRED|||-NONE-|||0"], "gold:2: offsets and annotator must be whole numbers"),
        (["S a b", "A 0|||X|||c|||REQUIRED|||-NONE-|||0"], "gold:2: offsets and annotator"),
        (["S a b", "S c d"], "gold:2: a second S line"),
        (["", "hello"], "gold:2: expected an S line"),
        (["A 0 1|||X|||c|||REQUIRED|||-NONE-|||0"], "gold:1: expected an S line"),
        ([], "gold: no sentence"),
        (["", ""], "gold: no sentence"),
    ],
)
def test_bad_lines_are_named(lines: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        list(read(lines, "gold"))


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    missing, latin, packed = tmp_path / "missing.m2", tmp_path / "latin.m2", tmp_path / "cut.m2.xz"
    latin.write_bytes(b"S fine\n\nS caf\xe9\n")
    packed.write_bytes(lzma.compress(SAMPLE.encode())[:-20])
    with pytest.raises(InputError, match=r"missing\.m2: cannot be read"):
        list(read(missing))
    with pytest.raises(InputError, match=r"latin\.m2:3: not UTF-8"):
        list(read(latin))
    with pytest.raises(InputError, match=r"cut\.m2\.xz: damaged or incomplete xz file"):
        list(read(packed))


def test_the_corpora_come_back_byte_for_byte(shared_data: Path) -> None:
    for name in ("conll13", "bea19.dev"):
        path = shared_data / "en" / "dev" / f"{name}.m2"
        assert "".join(write(read(path))) == path.read_text(encoding="utf-8")
