"""Reads files in sections that can be checked one by one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path

from redraft.check.session import Text, cut
from redraft.files.text_file import InputText, read, read_pieces, split_mark
from redraft.text.encoding import encode
from redraft.text.plain_sections import cut_lines, cut_plain
from redraft.text.positions import Positions, Unit

_SECTION_CHARACTERS = 1 << 14
"""Length of a section. Enough to fill the decoder's batches; the results of a section are shown together."""


@dataclass(frozen=True, slots=True)
class FilePlace:
    """A place in a file."""

    line: int = 1
    column: int = 1
    """In code points, from 1 on."""
    wide_column: int = 1
    """In units of UTF-16, from 1 on."""
    offset: int = 0
    """In code points, without the byte order mark."""

    def behind(self, text: str) -> FilePlace:
        """The place behind a text that begins at this one. Only a line feed ends a line, as for compilers and grep."""
        feeds, offset = text.count("\n"), self.offset + len(text)
        tail = text[text.rfind("\n") + 1 :]
        width, wide_width = len(tail), Positions(tail, Unit.UTF_16).to_units(len(tail))
        if feeds:
            return FilePlace(self.line + feeds, 1 + width, 1 + wide_width, offset)
        return FilePlace(self.line, self.column + width, self.wide_column + wide_width, offset)


@dataclass(frozen=True, slots=True)
class SectionStart:
    """Where a section begins."""

    place: FilePlace = field(default_factory=FilePlace)
    data: int = 0
    """In bytes of the file."""


@dataclass(frozen=True, slots=True)
class FileSection:
    """A part of a file that is checked by itself, and its place in the file."""

    text: Text
    start: FilePlace
    mark: str = ""
    """The byte order mark before the text, if any."""
    is_last: bool = False
    is_binary: bool = False
    """Whether the file is binary, as `InputText` recognizes it."""

    @property
    def data(self) -> bytes:
        """The bytes that were read."""
        return encode(self.mark + self.text.source)


def read_sections(
    path: Path, format: str, by_line: bool = False, whole: bool = False, start: SectionStart | None = None
) -> Iterator[FileSection]:
    """The sections of a file, at least one; only one if `whole`.

    Of plain text only a section or two are in memory. Other formats are read whole, since what a line means may depend
    on any line before it. `start` is where one of the sections begins: those before it are left out.
    """
    start = start or SectionStart()
    if whole or (format != "plain" and not by_line):
        source = read(path)
        text = Text(source.text, format)
        sections = (section for section in cut(text, _SECTION_CHARACTERS) if section.start >= start.place.offset)
        texts = iter([replace(text, by_line=by_line)]) if whole else (section.text for section in sections)
    else:
        pieces = read_pieces(path, _SECTION_CHARACTERS, start.data)
        first = next(pieces)
        source = InputText(str(path), first) if start.data else split_mark(str(path), first)
        texts = _cut(chain([source.text], pieces), by_line)
    mark = "" if start.data else source.mark
    section = FileSection(next(texts, Text("")), start.place, mark, is_binary=source.is_binary)
    size, left = _size(path), 1 - share_before(path, start)
    for following in texts:
        text = section.text
        share = min(left, len(encode(text.source)) / size) if size else 0
        left -= share
        yield replace(section, text=replace(text, share=share))
        section = replace(section, text=following, start=section.start.behind(text.source), mark="")
    yield replace(section, text=replace(section.text, share=left), is_last=True)


def share_before(path: Path, start: SectionStart) -> float:
    """Share of a file that is before the start of a section."""
    return min(1.0, start.data / (_size(path) or 1))


def cut_whole(text: Text) -> Iterator[Text]:
    """The same sections, of a text that is in memory."""
    if text.format != "plain" and not text.by_line:
        return (section.text for section in cut(text, _SECTION_CHARACTERS))
    source, size = text.source, _SECTION_CHARACTERS
    return _cut((source[start : start + size] for start in range(0, len(source), size)), text.by_line)


def _size(path: Path) -> int:
    """In bytes; 0 if it is not known."""
    return path.stat().st_size if path.is_file() else 0


def _cut(pieces: Iterable[str], by_line: bool) -> Iterator[Text]:
    cut_pieces = cut_lines if by_line else cut_plain
    return (Text(section, by_line=by_line) for section in cut_pieces(pieces, _SECTION_CHARACTERS))
