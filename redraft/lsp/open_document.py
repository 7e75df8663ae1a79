"""A document as the editor has it: its text, its findings, and which of them are shown."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from lsprotocol import types

from redraft.lsp.diagnostics import to_span, visible_span
from redraft.lsp.text_change import TextChange
from redraft.lsp.tracked_finding import TrackedFinding
from redraft.lsp.typing_state import TypingState
from redraft.text.positions import Lines, Unit
from redraft.text.span import Span


class OpenDocument:
    """`findings` always match `text`: a change moves those it does not touch and drops the others."""

    def __init__(self, uri: str, language_id: str, version: int, text: str, unit: Unit) -> None:
        self.uri = uri
        self.language_id = language_id
        self.version = version
        self.text = text
        self.findings: tuple[TrackedFinding, ...] = ()
        self._typing: TypingState | None = None
        self._unit = unit
        self._lines: Lines | None = None

    @property
    def lines(self) -> Lines:
        if self._lines is None:
            self._lines = Lines(self.text, self._unit)
        return self._lines

    def change(self, changes: Iterable[types.TextDocumentContentChangeEvent], version: int, now: float) -> None:
        """Applies changes that the editor sent. Positions outside the text mean the nearest one inside."""
        for change in changes:
            self._apply(self._read(change), now)
        self.version = version

    def set_findings(self, fresh: Sequence[TrackedFinding], reached: int) -> None:
        """Replaces the findings before the offset `reached`; those behind it are kept until they are checked again."""
        shown = {found.key for found in self.findings if found.shown}
        behind = [found for found in self.findings if found.edit.span.start >= reached]
        self.findings = (*(replace(found, shown=found.key in shown) for found in fresh), *behind)

    def show(self, now: float) -> tuple[TrackedFinding, ...]:
        """The findings to show now. New ones in a sentence that is being typed are held back."""
        self.findings = tuple(
            replace(found, shown=found.shown or self._show_after(found) <= now) for found in self.findings
        )
        return tuple(found for found in self.findings if found.shown)

    def next_show(self) -> float | None:
        """When more findings can be shown without any change; None if there are no more."""
        times = [self._show_after(found) for found in self.findings if not found.shown]
        return min((time for time in times if time < math.inf), default=None)

    def stop_typing(self) -> None:
        """Holds no findings back until the next change."""
        self._typing = None

    def look_at(self, span: Span) -> bool:
        """The editor asked about a span. Whether that means the user has left the sentence being typed."""
        if self._typing is None or span.start <= self._typing.offset <= span.end:
            return False
        held_back = [found.finding.sentence for found in self.findings if self._show_after(found) > -math.inf]
        if any(sentence.start <= span.end and span.start <= sentence.end for sentence in held_back):
            return False
        self.stop_typing()
        return bool(held_back)

    def fixable(self) -> list[TrackedFinding]:
        """The findings that "fix all" fixes: all but possible errors and those in an unfinished sentence that is being
        typed."""
        certain = (found for found in self.findings if found.edit.certain)
        return [found for found in certain if found.shown or self._show_after(found) < math.inf]

    def at(self, span: Span) -> list[TrackedFinding]:
        """The findings whose underlined text overlaps or adjoins the span."""
        return [found for found in self.findings if visible_span(found.edit, self.text).touches(span)]

    def find(self, data: object) -> TrackedFinding | None:
        """The finding of a diagnostic, given its `data`, wherever changes have moved it since."""
        if not isinstance(data, Mapping):
            return None
        wanted = (data.get("source"), data.get("replacement"), data.get("kind"))
        edits = ((found, found.edit) for found in self.findings)
        same = [found for found, edit in edits if (edit.source, edit.replacement, edit.kind) == wanted]
        start = data.get("start")
        place = start if isinstance(start, int) else 0
        return min(same, key=lambda found: abs(found.edit.span.start - place), default=None)

    def _read(self, change: types.TextDocumentContentChangeEvent) -> TextChange:
        if isinstance(change, types.TextDocumentContentChangePartial):
            return TextChange(to_span(change.range, self.lines), change.text)
        return TextChange.between(self.text, change.text)

    def _apply(self, change: TextChange, now: float) -> None:
        # Accepting a suggestion is not typing: other findings in the sentence need not be held back.
        is_accepted = any(found.is_made_by(change) for found in self.findings)
        self._typing = None if is_accepted else TypingState(change.end, now)
        self.text = change.apply(self.text)
        self._lines = None
        self.findings = tuple(found.move(change) for found in self.findings if not change.touches(found.edit.span))

    def _show_after(self, found: TrackedFinding) -> float:
        if self._typing is None:
            return -math.inf
        return self._typing.show_after(found.finding.sentence, self.text)
