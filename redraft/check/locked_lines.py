"""A plain text file of entries, one per line, that people edit by hand while several programs add to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

from redraft.atomic_write import atomic_write
from redraft.errors import InputError
from redraft.limited_file import check_inside, read_limited

MOST_BYTES = 1 << 23
"""The largest file that is read or written."""
LONGEST_ENTRY = 10_000
"""In characters."""
_LOCK = ".lock"


@dataclass(frozen=True, slots=True)
class Line:
    """An entry and the number of its line."""

    entry: str
    number: int


@dataclass(slots=True)
class LockedLines:
    """The entries of a file, which is created when the first one is added."""

    path: Path
    heading: str
    """The comment that a new file begins with."""
    inside: Path | None = None
    """The folder that the file may not be outside of, even through links: for a project, which may be a stranger's."""
    _stamp: tuple[int, int, int] | None = None
    _lines: tuple[Line, ...] = ()
    _lock: Lock = field(default_factory=Lock)

    def lines(self) -> tuple[Line, ...]:
        """The entries. The file is read only if its status changed; else the same object as before is returned."""
        stamp = _stamp(self.path)
        with self._lock:
            if stamp != self._stamp:
                self._lines = _parse(self._read())
                self._stamp = stamp
            return self._lines

    def add(self, entry: str) -> bool:
        """Adds the entry at the end; False if it was there already."""
        if not entry or _entry(entry) != entry or not entry.isprintable():
            raise InputError(f"an entry of {self.path.name} must be one printable line, without a comment (#)")
        if len(entry) > LONGEST_ENTRY:
            raise InputError(f"an entry of {self.path.name} has at most {LONGEST_ENTRY:,} characters")

        def append(text: str) -> str:
            if any(line.entry == entry for line in _parse(text)):
                return text
            text = text or f"{self.heading}\n"
            feed = "\r\n" if "\r\n" in text else "\n"
            return text + ("" if text.endswith("\n") else feed) + entry + feed

        return self._change(append)

    def remove(self, entry: str) -> bool:
        """Removes the lines with the entry; False if there is none."""

        def strike(text: str) -> str:
            return "".join(line for line in text.splitlines(keepends=True) if _entry(line) != entry)

        return self.path.exists() and self._change(strike)

    def _change(self, change: Callable[[str], str]) -> bool:
        from filelock import FileLock  # here, because most commands write no such file

        if self.inside:
            for path in (self.path, self.path.parent / _LOCK):
                check_inside(path, self.inside)
        try:
            _make_folder(self.path.parent)
            with FileLock(self.path.parent / _LOCK):
                text = self._read()
                changed = change(text)
                if len(changed.encode()) > max(MOST_BYTES, len(text.encode())):
                    raise InputError(f"{self.path} is full: it has at most {MOST_BYTES:,} bytes; remove entries first")
                if changed != text:
                    _write(self.path, changed)
                    self._stamp = None
                return changed != text
        except OSError as error:
            raise InputError(f"{self.path} cannot be written: {error.strerror}") from error

    def _read(self) -> str:
        try:
            # Decoded here, since reading as text would change the line ends.
            return read_limited(self.path, MOST_BYTES, self.inside).decode("utf-8-sig")
        except FileNotFoundError:
            return ""
        except UnicodeDecodeError as error:
            number = error.object[: error.start].count(b"\n") + 1
            raise InputError(f"{self.path}:{number} is not UTF-8; save the file as UTF-8") from None
        except OSError as error:
            raise InputError(f"{self.path} cannot be read: {error.strerror}") from error


def _parse(text: str) -> tuple[Line, ...]:
    entries = ((_entry(line), number) for number, line in enumerate(text.splitlines(), 1))
    return tuple(Line(entry, number) for entry, number in entries if entry)


def _entry(line: str) -> str:
    """The line without its comment; a # inside a word, as in C#, begins none."""
    if line.lstrip().startswith("#"):
        return ""
    return line.split(" #", 1)[0].split("\t#", 1)[0].strip()


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


def _make_folder(folder: Path) -> None:
    """Creates the folder, with a .gitignore for the lock and temporary files."""
    folder.mkdir(parents=True, exist_ok=True)
    unversioned = folder / ".gitignore"
    if not (folder / _LOCK).exists() and not unversioned.exists():
        unversioned.write_text(f"/{_LOCK}\n/.*.new\n", encoding="utf-8")


def _write(path: Path, text: str) -> None:
    """Replaces the file; only the holder of the lock does, so the temporary file may always have the same name."""
    target = path.resolve()
    like = target if target.exists() else None
    with atomic_write(target, temporary=f".{target.name}.new", like=like, durable=True) as partial:
        partial.write_text(text, encoding="utf-8", newline="")
