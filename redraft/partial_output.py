"""An output that is written in parts, with a record of its progress, so that an interrupted run can continue it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from redraft.atomic_write import atomic_write
from redraft.errors import InputError


@dataclass(frozen=True, slots=True)
class PartialWriter:
    """Appends to a partial output, and saves how far it got."""

    _file: BinaryIO
    _record: Path

    def append(self, data: bytes, facts: Mapping[str, Any]) -> None:
        """Writes data to the disk and then the record, so that the record never says more than is there."""
        self._file.write(data)
        self._file.flush()
        os.fsync(self._file.fileno())
        with atomic_write(self._record) as new:
            new.write_text(json.dumps(facts), encoding="utf-8")


@dataclass(frozen=True, slots=True)
class PartialOutput:
    """The file that is written, and its record."""

    path: Path
    record: Path

    def read_record(self) -> dict[str, Any] | None:
        """What was recorded last; None if there is no record."""
        try:
            facts = json.loads(self.record.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except (ValueError, RecursionError) as error:
            raise self.damage(error) from None
        if not isinstance(facts, dict):
            raise self.damage("not an object")
        return facts

    def damage(self, reason: object) -> InputError:
        """The error for a record that cannot be used."""
        return InputError(f"{self.record}: damaged ({reason}); start again without --resume")

    @contextmanager
    def open(self, size: int = 0, mode: int = 0o666) -> Iterator[PartialWriter]:
        """Goes on behind the first `size` bytes; what was written after the last record is cut off.

        `mode` has the permissions of a new file.
        """
        if not size:
            self.discard()
        flags = os.O_RDWR | getattr(os, "O_BINARY", 0) | (0 if size else os.O_CREAT | os.O_EXCL)
        try:
            descriptor = os.open(self.path, flags, mode)
        except FileNotFoundError:
            if not size:
                raise
            raise self._shorter() from None
        with os.fdopen(descriptor, "r+b") as file:
            if file.seek(0, os.SEEK_END) < size:
                raise self._shorter()
            file.truncate(size)
            file.seek(size)
            yield PartialWriter(file, self.record)

    def discard(self) -> None:
        """Removes both files. The record goes first: without it, the other one is of no use."""
        self.record.unlink(missing_ok=True)
        self.path.unlink(missing_ok=True)

    def _shorter(self) -> InputError:
        return InputError(f"{self.path} is shorter than its progress file says; start again without --resume")
