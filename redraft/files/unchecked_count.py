"""Counts the sentences that were not checked, and reports them in one line."""

from __future__ import annotations

from dataclasses import dataclass, field

from redraft.check.session import CheckResult
from redraft.check.unchecked import summarize
from redraft.files.sections import FilePlace
from redraft.terminal.output import remark


@dataclass(slots=True)
class UncheckedCount:
    """The number of unchecked sentences in all texts, the place of the first, and the reasons."""

    sentences: int = 0
    first: str = ""
    reasons: list[str] = field(default_factory=list)

    def add(self, name: str, result: CheckResult, start: FilePlace) -> None:
        """`start` is the place of the text in its file."""
        for unchecked in result.unchecked:
            if not self.sentences:
                place = start.behind(result.source[: unchecked.span.start])
                self.first = f"{name}:{place.line}:{place.column}"
            self.sentences += 1
            self._add_reason(unchecked.message)

    def add_count(self, other: UncheckedCount) -> None:
        """Adds the sentences that an earlier run counted."""
        self.first = self.first or other.first
        self.sentences += other.sentences
        for reason in other.reasons:
            self._add_reason(reason)

    def report(self) -> None:
        if self.sentences:
            remark(f"{self.first}: {summarize(self.sentences, self.reasons)}")

    def _add_reason(self, reason: str) -> None:
        if reason not in self.reasons:
            self.reasons.append(reason)
