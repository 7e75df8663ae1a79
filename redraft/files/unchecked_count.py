"""Counts the sentences that were not checked, and reports them in one line."""

from __future__ import annotations

from redraft.check.session import CheckResult
from redraft.check.unchecked import summarize
from redraft.terminal.output import remark
from redraft.text.positions import Lines, Unit


class UncheckedCount:
    """The number of unchecked sentences in all texts, the place of the first, and the reasons."""

    def __init__(self) -> None:
        self._count = 0
        self._first = ""
        self._reasons: dict[str, None] = {}

    def add(self, name: str, result: CheckResult, first_line: int = 1) -> None:
        """`first_line` is the number of the text's first line in its file."""
        for unchecked in result.unchecked:
            if not self._count:
                place = Lines(result.source, Unit.CODE_POINTS).place_of(unchecked.span.start)
                self._first = f"{name}:{first_line + place.line}:{place.column + 1}"
            self._count += 1
            self._reasons[unchecked.message] = None

    def report(self) -> None:
        if self._count:
            remark(f"{self._first}: {summarize(self._count, self._reasons)}")
