"""Reads texts from files and stdin, and writes them back so that nothing but the corrections changes."""

from __future__ import annotations

import codecs
import hashlib
import os
import re
import secrets
import sys
from collections.abc import Callable, Iterator
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from redraft.atomic_write import atomic_write
from redraft.errors import InputError
from redraft.text.encoding import encode

STDIN = Path("-")
BROKEN = re.compile("[\udc80-\udcff]")
"""Characters that `surrogateescape` puts for bytes that are not UTF-8."""
MARK = "\ufeff"
"""The byte order mark some editors put at the start of a file."""
HIDDEN = re.compile(r"\.redraft-[0-9a-f]{12}[-.]")
"""The start of the names of temporary files."""
LARGEST_DICTIONARY = 1 << 23
"""In bytes; the dictionaries of a project have no more together."""
_CHUNK = 1 << 16
_LOOKED_AT = 8000


@dataclass(frozen=True, slots=True)
class InputText:
    """A text, where it came from, and the byte order mark it began with, if any."""

    name: str
    text: str
    mark: str = ""

    @property
    def data(self) -> bytes:
        """The bytes that were read."""
        return encode(self.mark + self.text)

    @property
    def broken(self) -> int:
        """Number of bytes that were not UTF-8."""
        return len(BROKEN.findall(self.text))

    @property
    def is_binary(self) -> bool:
        """Whether there is a null byte near the start: git recognizes binary files by it too."""
        return "\0" in self.text[:_LOOKED_AT]


def read(path: Path, most: int = -1) -> InputText:
    """Reads a file of at most `most` bytes, if that is not negative; stdin where the path is `-`."""
    size = most + 1 if most >= 0 else -1
    if path == STDIN:
        name, data = "<stdin>", sys.stdin.buffer.read(size)
    else:
        with _opened(path) as file:
            name, data = str(path), file.read(size)
    if 0 <= most < len(data):
        raise InputError(f"{name} has more than {most:,} bytes, the limit for such a file")
    return _decode(name, data)


def read_lines(path: Path) -> Iterator[list[str]]:
    """Lines with their ends, as many at a time as have arrived."""
    if path == STDIN:
        yield from _split_stream("<stdin>", sys.stdin.buffer)
        return
    with _opened(path) as file:
        yield from _split_stream(str(path), file)


def read_pieces(path: Path, size: int, start: int = 0) -> Iterator[str]:
    """The text of a file, or of stdin, `size` bytes at a time, with its byte order mark; at least one piece.

    Of a file the first `start` bytes are left out.
    """
    with nullcontext(sys.stdin.buffer) if path == STDIN else _opened(path) as stream:
        decoder = codecs.getincrementaldecoder("utf-8")(errors="surrogateescape")
        if start:
            stream.seek(start)
        data = stream.read(size)
        if not start:
            _refuse_utf16("<stdin>" if path == STDIN else str(path), data)
        while data:
            yield decoder.decode(data)
            data = stream.read(size)
        yield decoder.decode(b"", final=True)


def split_mark(name: str, text: str) -> InputText:
    """A text as it was read, without its byte order mark."""
    return InputText(name, text.removeprefix(MARK), MARK if text.startswith(MARK) else "")


def read_words(path: Path) -> frozenset[str]:
    """The words of a dictionary file, one per line, without empty lines and comments (#)."""
    lines = (line.strip() for line in read(path, LARGEST_DICTIONARY).text.split("\n"))
    return frozenset(line for line in lines if line and not line.startswith("#"))


def replace_text(path: Path, source: InputText, text: str) -> None:
    """Writes a corrected text to its file in one step: readers see the old text or the new one, even after a power cut.

    Permissions, owner and attributes stay. A file that no longer holds the `source` is left as it is, and so is one
    whose owner could not be kept, or one with several hard links: in one step only one of them can be replaced.
    """
    target = find_replaceable(path)

    def compare() -> None:
        if target.read_bytes() != source.data:
            raise ChangedFileError(path)

    try:
        _write_whole(target, encode(source.mark + text), target, compare, keep_owner=True)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}") from error


def real_path(path: Path) -> Path:
    """The path without links. Unlike `Path.resolve`, it raises no error where links lead in a circle."""
    return Path(os.path.realpath(path))


def find_replaceable(path: Path) -> Path:
    """The file to replace in order to change a file in place; an error if it cannot be replaced."""
    target = path.resolve()  # a link stays a link
    if not target.is_file() or not os.access(target, os.W_OK):
        raise InputError(f"{path} cannot be written: it is read-only or not an ordinary file")
    if (links := target.stat().st_nlink) > 1:
        raise InputError(
            f"{path} cannot be written: it has {links} hard links, of which only one would get the corrected text; "
            "use --output FOLDER to write a copy"
        )
    return target


class ChangedFileError(InputError):
    """A file is no longer what was read of it."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path} was changed by another program meanwhile and is left as it is; run this again")


def write_copy(target: Path, original: Path, source: InputText, text: str) -> None:
    """Writes the text of a file somewhere else, likewise in one step, with the permissions of the original."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _write_whole(target, encode(source.mark + text), original)
    except OSError as error:
        raise InputError(f"{target} cannot be written: {error.strerror}") from error


def sweep(path: Path, source: InputText) -> None:
    """Removes what is left of an attempt to write this text that was killed: hidden files that hold the start of it."""
    target = path.resolve()
    unfinished = re.compile(rf"{re.escape(_temporary_prefix(target))}[0-9a-f]{{8}}")
    with suppress(OSError):
        for other in target.parent.iterdir():
            if unfinished.fullmatch(other.name) and source.data.startswith(other.read_bytes()):
                other.unlink()


def _write_whole(
    target: Path,
    data: bytes,
    like: Path,
    before_replacing: Callable[[], None] = lambda: None,
    keep_owner: bool = False,
) -> None:
    # A name of its own, which `sweep` knows: two programs may write the same file at once.
    temporary = f"{_temporary_prefix(target)}{secrets.token_hex(4)}"
    with atomic_write(
        target,
        temporary=temporary,
        like=like,
        keep_owner=keep_owner,
        durable=True,
        before_replacing=before_replacing,
    ) as partial:
        partial.write_bytes(data)


def hidden_name(target: Path) -> str:
    """The start of the names of temporary files for a file. It is short, since a name has at most 255 bytes."""
    return f".redraft-{hashlib.sha256(os.fsencode(target.name)).hexdigest()[:12]}"


def _temporary_prefix(target: Path) -> str:
    return f"{hidden_name(target)}-"


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except FileNotFoundError:
        raise InputError(f"there is no file {path}") from None
    except IsADirectoryError:
        reason = "name the files in it" if os.access(path, os.R_OK | os.X_OK) else "it may not be read"
        raise InputError(f"{path} is a folder; {reason}") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from error


def _decode(name: str, data: bytes) -> InputText:
    _refuse_utf16(name, data)
    return split_mark(name, data.decode("utf-8", errors="surrogateescape"))


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
