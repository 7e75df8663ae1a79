"""A document as the editor has it: its text, what was found in it, and which of that is shown."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from lsprotocol import types

from redraft.lsp.caret import Caret
from redraft.lsp.diagnostics import to_span, visible_span
from redraft.lsp.notes import Change, Note
from redraft.text.positions import Lines, Unit
from redraft.text.span import Span


class OpenDocument:
    """Whatever happens, `notes` fit `text`: a change moves those it does not touch and drops the others."""

    def __init__(self, uri: str, language_id: str, version: int, text: str, unit: Unit) -> None:
        self.uri = uri
        self.language_id = language_id
        self.version = version
        self.text = text
        self.caret: Caret | None = None
        self.notes: tuple[Note, ...] = ()
        self._unit = unit
        self._lines: Lines | None = None

    @property
    def lines(self) -> Lines:
        if self._lines is None:
            self._lines = Lines(self.text, self._unit)
        return self._lines

    def change(self, changes: Iterable[types.TextDocumentContentChangeEvent], version: int, now: float) -> None:
        """Takes in what the editor changed. Positions outside the text mean the nearest inside."""
        for change in changes:
            self._make(self._read(change), now)
        self.version = version

    def found(self, fresh: Sequence[Note], reached: int) -> None:
        """Takes in what was found up to `reached`; what was known behind that still counts."""
        shown = {note.key for note in self.notes if note.shown}
        behind = [note for note in self.notes if note.edit.span.start >= reached]
        self.notes = (*(replace(note, shown=note.key in shown) for note in fresh), *behind)

    def show(self, now: float) -> tuple[Note, ...]:
        """What to show. In a sentence at which the writer is at work, nothing that is not shown already."""
        self.notes = tuple(replace(note, shown=note.shown or self._waits(note) <= now) for note in self.notes)
        return tuple(note for note in self.notes if note.shown)

    def next_show(self) -> float | None:
        """When there will be more to show, if nothing happens before that."""
        waits = [self._waits(note) for note in self.notes if not note.shown]
        return min((wait for wait in waits if wait < math.inf), default=None)

    def leave(self) -> None:
        """The writer has finished for now."""
        self.caret = None

    def look_at(self, span: Span) -> bool:
        """The editor asked about a place. If that is another than the writer was at, the caret has left; true then."""
        if self.caret is None or span.start <= self.caret.offset <= span.end:
            return False
        at_work = [note.finding.sentence for note in self.notes if self._waits(note) > -math.inf]
        if any(sentence.start <= span.end and span.start <= sentence.end for sentence in at_work):
            return False
        self.leave()
        return bool(at_work)

    def mendable(self) -> list[Note]:
        """What "fix all" mends: all but what stands in a sentence without an end that is still being typed."""
        return [note for note in self.notes if note.shown or self._waits(note) < math.inf]

    def at(self, span: Span) -> list[Note]:
        """What is underlined at a place, or next to it."""
        underlined = ((note, visible_span(note.edit, self.text)) for note in self.notes)
        return [note for note, seen in underlined if seen.start <= span.end and span.start <= seen.end]

    def find(self, data: object) -> Note | None:
        """The finding that a diagnostic's `data` tells of, wherever changes have moved it since."""
        if not isinstance(data, Mapping):
            return None
        wanted = (data.get("source"), data.get("replacement"), data.get("kind"))
        same = [note for note in self.notes if (note.edit.source, note.edit.replacement, note.edit.kind) == wanted]
        start = data.get("start")
        place = start if isinstance(start, int) else 0
        return min(same, key=lambda note: abs(note.edit.span.start - place), default=None)

    def _read(self, change: types.TextDocumentContentChangeEvent) -> Change:
        if isinstance(change, types.TextDocumentContentChangePartial):
            return Change(to_span(change.range, self.lines), change.text)
        return Change.between(self.text, change.text)

    def _make(self, change: Change, now: float) -> None:
        # Who takes a suggestion reads; who types is left in peace.
        taken = any(note.is_made_by(change) for note in self.notes)
        self.caret = None if taken else Caret(change.end, now)
        self.text = change.apply(self.text)
        self._lines = None
        self.notes = tuple(note.move(change) for note in self.notes if not change.touches(note.edit.span))

    def _waits(self, note: Note) -> float:
        """When it may be shown."""
        return self.caret.quiet_until(note.finding.sentence, self.text) if self.caret else -math.inf
