"""Findings with their lines and columns, for reports."""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from redraft.edits.edit import Edit
from redraft.text.positions import Positions, Unit

if TYPE_CHECKING:
    from redraft.check.alternatives import Alternative
    from redraft.check.document import Finding


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a file, counted from 1: the column in code points, the wide column in units of UTF-16."""

    line: int
    column: int
    wide_column: int


@dataclass(frozen=True, slots=True)
class LocatedFinding:
    start: Place
    end: Place
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
    findings: tuple[LocatedFinding, ...] = ()
    failure: str = ""


def locate(text: str, findings: Iterable[Finding]) -> Iterator[LocatedFinding]:
    lines = _Lines(text)
    seen: Counter[str] = Counter()
    for finding in findings:
        edit = finding.edit
        mark = _fingerprint(finding, finding.sentence.of(text))
        seen[mark] += 1
        start, end = lines.place(edit.span.start), lines.place(edit.span.end)
        yield LocatedFinding(start, end, edit, finding.rule, f"{mark}:{seen[mark]}", finding.alternatives)


class _Lines:
    """Converts offsets to lines and columns. Only a line feed ends a line, as for compilers and grep."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self._line = 0
        self._positions = Positions("", Unit.UTF_16)
        """The columns of the line that was asked for last."""

    def place(self, offset: int) -> Place:
        line = bisect_right(self._starts, offset)
        start, *following = self._starts[line - 1 : line + 1]
        if line != self._line:
            self._line = line
            self._positions = Positions(self._text[start : following[0] if following else None], Unit.UTF_16)
        return Place(line, offset - start + 1, self._positions.to_units(offset - start) + 1)


def _fingerprint(finding: Finding, sentence: str) -> str:
    parts = finding.rule, finding.edit.source, finding.edit.replacement, " ".join(sentence.split())
    return hashlib.sha256("\0".join(parts).encode("utf-8", errors="surrogatepass")).hexdigest()[:16]
