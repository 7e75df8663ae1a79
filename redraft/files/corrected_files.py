"""The files that a run has finished, by its journal, so that a later run does not correct them again."""

from __future__ import annotations

from pathlib import Path

from redraft.checksum import checksum
from redraft.errors import InputError
from redraft.files.destination import Destination
from redraft.files.journal import Entry, Journal


class CorrectedFiles:
    """`settings` is a checksum of the settings that the corrected texts depend on."""

    def __init__(self, journal: Journal, destination: Destination, settings: str) -> None:
        self._journal = journal
        self._destination = destination
        self._settings = settings

    def holds(self, path: Path, source: str) -> bool:
        """Whether a file, whose text has the SHA-256 `source` now, was corrected with these settings."""
        name = self._destination.name(path)
        if self._destination.output is None:
            return self._journal.wrote(name, source, self._settings)
        try:
            written = checksum(self._destination.place(path))
        except InputError:
            return False
        return Entry(name, source, written, self._settings) in self._journal

    def record(self, path: Path, source: str, corrected: str) -> bool:
        """Records the SHA-256 of a text before and after correction, before the file is written.

        False if it was recorded already: then an earlier run was interrupted before it had written the file.
        """
        return self._journal.record(Entry(self._destination.name(path), source, corrected, self._settings))
