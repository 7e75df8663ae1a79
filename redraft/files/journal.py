"""A record of the files that were corrected, so that an interrupted run can continue and corrects no file twice.

The line of a file is written before the file itself; checksums tell whether the file was written too.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType

from redraft.errors import InputError

JOURNAL, LOCK_SUFFIX = ".redraft-journal.jsonl", ".lock"


@dataclass(frozen=True, slots=True)
class Entry:
    """A file, the SHA-256 of its text before and after correction, and the checksum of the settings."""

    file: str
    input: str
    output: str
    settings: str


class Journal:
    """Used by one run at a time, which holds a lock. The system releases it when the process ends, however it ends."""

    def __init__(self, path: Path) -> None:
        from filelock import FileLock, Timeout  # here, because most commands have no journal

        self.path = path
        self._lock = FileLock(path.with_name(path.name + LOCK_SUFFIX), blocking=False)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._lock.acquire()
            self._file = path.open("a+b")
        except Timeout:
            raise InputError(f"another run is at work with {path}; wait for it, or stop it") from None
        except OSError as error:
            self._lock.release()
            raise InputError(f"{path} cannot be written: {error.strerror}; name another with --journal") from error
        try:
            self._entries = self._read()
        except BaseException:
            self._close()
            raise
        self._outputs = {(entry.file, entry.output, entry.settings) for entry in self._entries}

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def __contains__(self, entry: Entry) -> bool:
        return entry in self._entries

    def wrote(self, file: str, output: str, settings: str) -> bool:
        """Whether this text is the corrected text of a file, whatever the file held before."""
        return (file, output, settings) in self._outputs

    def record(self, entry: Entry) -> bool:
        """Writes the line to disk. False if it was there already: then an earlier run was interrupted behind it."""
        if entry in self._entries:
            return False
        self._file.write(json.dumps(asdict(entry), ensure_ascii=True).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())
        self._entries.add(entry)
        self._outputs.add((entry.file, entry.output, entry.settings))
        return True

    def _close(self) -> None:
        self._file.close()
        self._lock.release()

    def _read(self) -> set[Entry]:
        self._file.seek(0)
        entries = set()
        whole = 0
        for number, line in enumerate(self._file, start=1):
            if not line.endswith(b"\n"):
                # The run that wrote it was killed, before it wrote the file itself.
                self._file.truncate(whole)
                break
            whole += len(line)
            try:
                entries.add(Entry(**json.loads(line)))
            except (ValueError, TypeError):
                raise InputError(
                    f"{self.path}:{number} is not a line of a journal; remove the file, or name another with --journal"
                ) from None
        return entries
