"""What has been done with each of many files, so that a run that was interrupted goes on and does nothing twice.

A line is written before its file is: which of the two came to pass, the checksums tell.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import IO

from redraft.errors import InputError

if sys.platform == "win32":
    import msvcrt

    def _lock(file: IO[bytes]) -> None:
        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(file: IO[bytes]) -> None:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)


JOURNAL = ".redraft-journal.jsonl"


@dataclass(frozen=True, slots=True)
class Entry:
    """A file, what it was corrected to, and under which settings. Texts are known by their SHA-256."""

    file: str
    input: str
    output: str
    settings: str


class Journal:
    """Held open by one run at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("a+b")
        except OSError as error:
            raise InputError(f"{path} cannot be written: {error.strerror}; name another with --journal") from error
        try:
            self._hold()
            self._entries = self._read()
        except BaseException:
            self._file.close()
            raise
        self._outputs = {(entry.file, entry.output, entry.settings) for entry in self._entries}

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def __contains__(self, entry: Entry) -> bool:
        return entry in self._entries

    def wrote(self, file: str, output: str, settings: str) -> bool:
        """Is this text what a file was corrected to, whatever it was before?"""
        return (file, output, settings) in self._outputs

    def record(self, entry: Entry) -> bool:
        """Returns when the line is on the disk. False if it was there: then whoever wrote it was interrupted."""
        if entry in self._entries:
            return False
        self._file.write(json.dumps(asdict(entry), ensure_ascii=True).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())
        self._entries.add(entry)
        self._outputs.add((entry.file, entry.output, entry.settings))
        return True

    def _hold(self) -> None:
        """The system lets go of it when the process ends, however it ends."""
        try:
            _lock(self._file)
        except OSError:
            raise InputError(f"another run is at work with {self.path}; wait for it, or stop it") from None

    def _read(self) -> set[Entry]:
        self._file.seek(0)
        entries = set()
        whole = 0
        for number, line in enumerate(self._file, start=1):
            if not line.endswith(b"\n"):
                # Whoever wrote it was killed over it, and so never came to the file itself.
                self._file.truncate(whole)
                break
            whole += len(line)
            try:
                entries.add(Entry(**json.loads(line)))
            except (ValueError, TypeError):
                raise InputError(
                    f"{self.path}:{number} is no line of a journal; remove the file, or name another with --journal"
                ) from None
        return entries
