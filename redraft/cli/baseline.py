"""A file of known findings, so that only new ones are reported."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from redraft.atomic_write import atomic_write
from redraft.cli.findings import LocatedFinding
from redraft.edits.describe import describe
from redraft.errors import InputError
from redraft.files.text_file import read
from redraft.terminal.output import printable

_HEADER = (
    "# Known findings, which `redraft check --baseline` does not report. With --update-baseline it writes this file.\n"
    "# A line has the fingerprint of a finding, the file, and the edit.\n"
)


@dataclass(frozen=True, slots=True, order=True)
class _Entry:
    file: str
    """Relative to the folder of the baseline, with forward slashes."""
    fingerprint: str
    edit: str


class Baseline:
    """The findings in a baseline file. Each entry hides one finding, in whichever file its sentence is now."""

    def __init__(self, path: Path, entries: Iterable[_Entry] = ()) -> None:
        self.path = path
        self._entries = list(entries)
        self._unmatched = Counter(entry.fingerprint for entry in self._entries)
        self.known = 0
        """Number of findings hidden so far."""

    @classmethod
    def read(cls, path: Path) -> Baseline:
        if not path.exists():
            raise InputError(f"{path} does not exist; --update-baseline writes it")
        entries = []
        for number, line in enumerate(read(path).text.splitlines(), 1):
            if not line.strip() or line.startswith("#"):
                continue
            parts = line.split("\t")
            if len(parts) != 3:
                raise InputError(f"{path}:{number}: not a line of a baseline; write the file with --update-baseline")
            entries.append(_Entry(parts[1], parts[0], parts[2]))
        return cls(path, entries)

    def is_at(self, path: Path) -> bool:
        """Whether a path is that of the baseline, which is no text to check."""
        return path.resolve() == self.path.resolve()

    def hide_known(self, findings: Iterable[LocatedFinding]) -> Iterator[LocatedFinding]:
        """The findings that are not in the baseline."""
        for finding in findings:
            fingerprint = _shorten(finding)
            if self._unmatched[fingerprint] > 0:
                self._unmatched[fingerprint] -= 1
                self.known += 1
            else:
                yield finding

    def record(self, path: Path, findings: Iterable[LocatedFinding]) -> None:
        """Replaces the entries of a file by its findings of now."""
        name = self._name(path)
        self._entries = [entry for entry in self._entries if entry.file != name]
        self._entries += [_Entry(name, _shorten(finding), printable(describe(finding.edit))) for finding in findings]

    def write(self) -> int:
        """Writes the file, without the entries of files that no longer exist; the number of entries."""
        folder = self.path.parent
        kept = sorted(entry for entry in self._entries if (folder / entry.file).exists())
        lines = (f"{entry.fingerprint}\t{entry.file}\t{entry.edit}\n" for entry in kept)
        with atomic_write(self.path) as partial:
            partial.write_text(_HEADER + "".join(lines), encoding="utf-8")
        return len(kept)

    def _name(self, path: Path) -> str:
        return printable(os.path.relpath(path, self.path.parent).replace(os.sep, "/"))


def _shorten(finding: LocatedFinding) -> str:
    """The fingerprint without the number of the finding in its file: the same finding may move to another file."""
    return finding.fingerprint.partition(":")[0]
