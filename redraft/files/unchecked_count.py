"""Counts the sentences that were not checked, and reports them in one line."""

from __future__ import annotations

from redraft.check.session import CheckResult
from redraft.check.unchecked import summarize
from redraft.files.sections import FilePlace
from redraft.terminal.output import remark


class UncheckedCount:
    """The number of unchecked sentences in all texts, the place of the first, and the reasons."""

    def __init__(self) -> None:
        self._count = 0
        self._first = ""
        self._reasons: dict[str, None] = {}

    def add(self, name: str, result: CheckResult, start: FilePlace) -> None:
        """`start` is the place of the text in its file."""
        for unchecked in result.unchecked:
            if not self._count:
                place = start.behind(result.source[: unchecked.span.start])
                self._first = f"{name}:{place.line}:{place.column}"
            self._count += 1
            self._reasons[unchecked.message] = None

    def report(self) -> None:
        if self._count:
            remark(f"{self._first}: {summarize(self._count, self._reasons)}")
