"""Findings with their lines and columns, for reports."""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from redraft.edits.edit import Edit
from redraft.files.sections import FilePlace
from redraft.text.positions import Positions, Unit

if TYPE_CHECKING:
    from redraft.check.alternatives import Alternative
    from redraft.check.document import Finding

FIRST = FilePlace()


@dataclass(frozen=True, slots=True)
class LocatedFinding:
    start: FilePlace
    end: FilePlace
    edit: Edit
    rule: str
    fingerprint: str
    """Identifies the sentence and the edit, wherever the sentence moves to in the file."""
    alternatives: tuple[Alternative, ...] = ()
    """As in `Finding`."""


@dataclass(frozen=True, slots=True)
class CheckedText:
    """A file and its findings, or the reason why it could not be checked."""

    name: str
    findings: Iterable[LocatedFinding] = ()
    """Those of a long file come while it is checked, and can be read once."""
    failure: str = ""


def locate(
    text: str, findings: Iterable[Finding], start: FilePlace = FIRST, seen: Counter[str] | None = None
) -> Iterator[LocatedFinding]:
    """The findings of a section of a file, which begins at `start`; `seen` counts the fingerprints in the file."""
    lines = _Lines(text, start)
    seen = Counter() if seen is None else seen
    for finding in findings:
        edit = finding.edit
        mark = _fingerprint(finding, finding.sentence.of(text))
        seen[mark] += 1
        first, last = lines.place(edit.span.start), lines.place(edit.span.end)
        moved = replace(edit, span=edit.span.shift(start.offset))
        yield LocatedFinding(first, last, moved, finding.rule, f"{mark}:{seen[mark]}", finding.alternatives)


class _Lines:
    """Converts offsets to lines and columns. Only a line feed ends a line, as for compilers and grep."""

    def __init__(self, text: str, start: FilePlace) -> None:
        self._text = text
        self._start = start
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self._line = 0
        self._positions = Positions("", Unit.UTF_16)
        """The columns of the line that was asked for last."""

    def place(self, offset: int) -> FilePlace:
        line = bisect_right(self._starts, offset)
        start, *following = self._starts[line - 1 : line + 1]
        if line != self._line:
            self._line = line
            self._positions = Positions(self._text[start : following[0] if following else None], Unit.UTF_16)
        column, wide_column = offset - start, self._positions.to_units(offset - start)
        first, in_file = self._start, self._start.offset + offset
        if line == 1:
            return FilePlace(first.line, first.column + column, first.wide_column + wide_column, in_file)
        return FilePlace(first.line + line - 1, 1 + column, 1 + wide_column, in_file)


def _fingerprint(finding: Finding, sentence: str) -> str:
    parts = finding.rule, finding.edit.source, finding.edit.replacement, " ".join(sentence.split())
    return hashlib.sha256("\0".join(parts).encode("utf-8", errors="surrogatepass")).hexdigest()[:16]
