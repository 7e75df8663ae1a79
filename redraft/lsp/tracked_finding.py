"""Findings of an open document, which move along when the text before them changes."""

from __future__ import annotations

from dataclasses import dataclass, replace

from redraft.check.document import Finding
from redraft.edits.edit import Edit
from redraft.lsp.text_change import TextChange
from redraft.text.span import Span


@dataclass(frozen=True, slots=True)
class TrackedFinding:
    """A finding at its current place in an open document."""

    finding: Finding
    sentence: str
    """The sentence as the model read it, by which the finding can be ignored once."""
    shown: bool = False
    """Whether the editor shows it already."""

    @property
    def edit(self) -> Edit:
        return self.finding.edit

    @property
    def key(self) -> tuple[Span, str]:
        return self.edit.span, self.edit.replacement

    def move(self, change: TextChange) -> TrackedFinding:
        if self.finding.sentence.end < change.span.start:
            return self
        edit = replace(self.edit, span=change.move(self.edit.span))
        sentence = change.move(self.finding.sentence)
        return replace(self, finding=replace(self.finding, edit=edit, sentence=sentence))

    def is_made_by(self, change: TextChange) -> bool:
        """Whether the change makes the suggested edit. Editors may send only the characters that differ."""
        edit = self.edit
        if change.growth != len(edit.replacement) - len(edit.source) or not edit.span.contains(change.span):
            return False
        inside = TextChange(change.span.shift(-edit.span.start), change.new)
        return inside.apply(edit.source) == edit.replacement
