from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redraft.check.session import Text
from redraft.files.sections import FilePlace, FileSection, SectionStart, cut_whole, read_sections, share_before
from redraft.files.text_file import MARK
from redraft.files.text_file import read as read_whole
from redraft.text.encoding import encode

PARAGRAPH = "Ça va 😀. She goes to school every day, and he stays at home with his two cats.\n" * 3 + "\n"


@pytest.fixture(autouse=True)
def short_sections(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("redraft.files.sections._SECTION_CHARACTERS", 500)


def write(folder: Path, data: bytes, name: str = "text.txt") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def join(sections: list[FileSection]) -> bytes:
    return encode("".join(section.mark + section.text.source for section in sections))


@given(
    st.lists(st.sampled_from([b"\xff", "é".encode(), "😀".encode()[:2], b"A. ", b"\n\n", MARK.encode()])).map(b"".join)
)
def test_any_bytes_come_back(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = write(tmp_path_factory.getbasetemp(), PARAGRAPH.encode() * 3 + data * 99)
    assert join(list(read_sections(path, "plain"))) == path.read_bytes()


@pytest.mark.parametrize("format", ["plain", "markdown"])
@pytest.mark.parametrize("by_line", [False, True])
def test_sections_know_their_places(tmp_path: Path, format: str, by_line: bool) -> None:
    data = f"{MARK}{PARAGRAPH * 20}".encode()
    sections = list(read_sections(write(tmp_path, data), format, by_line))
    assert len(sections) > 5
    assert join(sections) == data
    assert sections[0].mark == MARK
    assert [section.is_last for section in sections] == [False] * (len(sections) - 1) + [True]
    assert sum(section.text.share for section in sections) == pytest.approx(1)
    assert max(section.text.share for section in sections) < 0.3
    before = ""
    for section in sections:
        lines = before.split("\n")
        assert section.start == FilePlace(
            len(lines), 1 + len(lines[-1]), 1 + len(lines[-1].encode("utf-16-le")) // 2, len(before)
        )
        before += section.text.source


@pytest.mark.parametrize("format", ["plain", "markdown"])
@pytest.mark.parametrize("by_line", [False, True])
def test_a_file_is_read_from_the_start_of_any_section(tmp_path: Path, format: str, by_line: bool) -> None:
    wide = PARAGRAPH.replace("\n", " ") * 9
    path = write(tmp_path, f"{MARK}{PARAGRAPH * 12}{wide}\n\n{MARK}{PARAGRAPH * 24}".encode() + b"\xff\xfe.")
    sections = list(read_sections(path, format, by_line))
    assert len(sections) > 5
    read = 0
    for number, section in enumerate(sections):
        start = SectionStart(section.start, read)
        found = list(read_sections(path, format, by_line, start=start))
        assert [(one.text.source, one.start, one.mark, one.is_last) for one in found] == [
            (one.text.source, one.start, one.mark, one.is_last) for one in sections[number:]
        ]
        assert share_before(path, start) + sum(one.text.share for one in found) == pytest.approx(1)
        read += len(section.data)
    (nothing,) = read_sections(path, format, by_line, start=SectionStart(FilePlace(offset=1 << 30), read))
    assert (nothing.text.source, nothing.is_last) == ("", True)
    whole = Text(read_whole(path).text, format, by_line)
    assert [text.source for text in cut_whole(whole)] == [section.text.source for section in sections]


def test_a_place_behind_a_text_counts_from_its_start() -> None:
    assert FilePlace(3, 5, 6, 7).behind("a😀") == FilePlace(3, 7, 9, 9)
    assert FilePlace(3, 5, 6, 7).behind("a\n😀") == FilePlace(4, 2, 3, 10)


def test_an_empty_file_has_a_section(tmp_path: Path) -> None:
    (section,) = read_sections(write(tmp_path, b""), "plain")
    assert (section.text.source, section.text.share, section.is_last) == ("", 1, True)


def test_a_whole_text_is_one_section(tmp_path: Path) -> None:
    (section,) = read_sections(write(tmp_path, PARAGRAPH.encode() * 20), "plain", whole=True)
    assert section.text.source == PARAGRAPH * 20


def test_a_binary_file_is_recognized_by_its_start(tmp_path: Path) -> None:
    assert next(read_sections(write(tmp_path, PARAGRAPH.encode() + b"\0" + PARAGRAPH.encode() * 9), "plain")).is_binary
    assert not next(read_sections(write(tmp_path, PARAGRAPH.encode() * 9), "plain")).is_binary
