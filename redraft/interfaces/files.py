"""Texts from files and from stdin, and back again, so that nothing but the corrections changes."""

from __future__ import annotations

import codecs
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from redraft.errors import InputError
from redraft.interfaces.output import encode

STDIN = Path("-")
BROKEN = re.compile("[\udc80-\udcff]")
"""What `surrogateescape` makes of a byte that is not UTF-8."""
MARK = "\ufeff"
"""The byte order mark some editors put at the start of a file."""
_CHUNK = 1 << 16


@dataclass(frozen=True, slots=True)
class InputText:
    """A text, where it came from, and the byte order mark it began with, if any."""

    name: str
    text: str
    mark: str = ""

    @property
    def broken(self) -> int:
        """How many bytes were not UTF-8."""
        return len(BROKEN.findall(self.text))


def read(path: Path) -> InputText:
    """Reads a file, or stdin where the path is `-`."""
    if path == STDIN:
        return _decode("<stdin>", sys.stdin.buffer.read())
    with _opened(path) as file:
        return _decode(str(path), file.read())


def read_lines(path: Path) -> Iterator[list[str]]:
    """Lines with their ends, as many at a time as are there: a slow writer is answered line by line."""
    if path == STDIN:
        yield from _split_stream("<stdin>", sys.stdin.buffer)
        return
    with _opened(path) as file:
        yield from _split_stream(str(path), file)


def read_words(path: Path) -> frozenset[str]:
    """A dictionary: one word a line; empty lines and lines that begin with # do not count."""
    lines = (line.strip() for line in read(path).text.split("\n"))
    return frozenset(line for line in lines if line and not line.startswith("#"))


def split_lines(text: str) -> list[str]:
    """Lines with their ends; only a line feed ends a line."""
    lines = text.split("\n")
    return [f"{line}\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def replace_text(path: Path, text: str) -> None:
    """Writes the file in one step: whoever looks sees the old text or the new one, also after a power cut."""
    target = path.resolve()  # a link stays a link
    if not target.is_file() or not os.access(target, os.W_OK):
        raise InputError(f"{path} cannot be written: it is read-only or no ordinary file")
    try:
        mode = target.stat().st_mode
        with tempfile.NamedTemporaryFile(dir=target.parent, prefix=f".{target.name}.", delete=False) as file:
            try:
                file.write(encode(text))
                file.flush()
                os.fsync(file.fileno())
                Path(file.name).chmod(mode)
                Path(file.name).replace(target)
            except BaseException:
                Path(file.name).unlink(missing_ok=True)
                raise
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}") from error


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except FileNotFoundError:
        raise InputError(f"there is no file {path}") from None
    except IsADirectoryError:
        raise InputError(f"{path} is a folder; name the files in it") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from error


def _decode(name: str, data: bytes) -> InputText:
    _refuse_utf16(name, data)
    text = data.decode("utf-8", errors="surrogateescape")
    return InputText(name, text.removeprefix(MARK), MARK if text.startswith(MARK) else "")


def _refuse_utf16(name: str, data: bytes) -> None:
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise InputError(f"{name} is UTF-16; save it as UTF-8 first")


def _split_stream(name: str, stream: BinaryIO) -> Iterator[list[str]]:
    started: list[bytes] = []
    first = True
    while chunk := stream.read1(_CHUNK):  # type: ignore[attr-defined]
        if first:
            _refuse_utf16(name, chunk)
            first = False
        head, *rest = chunk.split(b"\n")
        started.append(head)
        if rest:
            *whole, last = rest
            lines = [b"".join(started), *whole]
            started = [last]
            yield [f"{line.decode('utf-8', errors='surrogateescape')}\n" for line in lines]
    if unended := b"".join(started):
        yield [unended.decode("utf-8", errors="surrogateescape")]
