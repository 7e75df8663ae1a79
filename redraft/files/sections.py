"""Reads files in sections that can be checked one by one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from redraft.check.session import Text, cut
from redraft.files.text_file import read, read_pieces, split_mark
from redraft.text.encoding import encode
from redraft.text.plain_sections import cut_plain
from redraft.text.positions import Positions, Unit

_SECTION_CHARACTERS = 1 << 14
"""Enough to fill the decoder's batches; the results of a section are shown together."""


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
class FileSection:
    """A part of a file that is checked by itself, and its place in the file."""

    text: Text
    start: FilePlace
    mark: str = ""
    """The byte order mark before the text, if any."""
    is_last: bool = False
    is_binary: bool = False
    """Whether the file is binary, as `InputText` recognizes it."""


def read_sections(path: Path, format: str, by_line: bool = False, whole: bool = False) -> Iterator[FileSection]:
    """The sections of a file, at least one; only one if `whole`.

    Of plain text only a section or two are in memory. Other formats are read whole, since what a line means may depend
    on any line before it.
    """
    if format != "plain" or by_line or whole:
        source = read(path)
        text = Text(source.text, format, by_line)
        texts = iter([text]) if whole else (section.text for section in cut(text, _SECTION_CHARACTERS))
    else:
        pieces = read_pieces(path, _SECTION_CHARACTERS)
        first = next(pieces)
        source = split_mark(str(path), first)
        texts = map(Text, cut_plain(chain([source.text], pieces), _SECTION_CHARACTERS))
    size = path.stat().st_size if path.is_file() else 0
    section = FileSection(next(texts, Text("")), FilePlace(), source.mark, is_binary=source.is_binary)
    left = 1.0
    for following in texts:
        text = section.text
        share = min(left, len(encode(text.source)) / size) if size else 0
        left -= share
        yield replace(section, text=replace(text, share=share))
        section = replace(section, text=following, start=section.start.behind(text.source), mark="")
    yield replace(section, text=replace(section.text, share=left), is_last=True)
