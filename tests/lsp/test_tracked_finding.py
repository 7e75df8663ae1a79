from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from redraft.check.document import Finding
from redraft.edits.edit import Edit, apply
from redraft.lsp.text_change import TextChange
from redraft.lsp.tracked_finding import TrackedFinding
from redraft.text.span import Span

TEXTS = st.text("ab 😀\n", max_size=30)


def tracked(text: str, span: Span, replacement: str = "x") -> TrackedFinding:
    return TrackedFinding(Finding(Edit(span, span.of(text), replacement), Span(0, len(text)), "RULE"), text)


@given(TEXTS, TEXTS, TEXTS)
def test_a_finding_moves_with_its_text(before: str, source: str, new: str) -> None:
    text = f"{before} {source}"
    found = tracked(text, Span(len(before) + 1, len(text)))
    change = TextChange(Span(0, len(before)), new)
    moved = found.move(change)
    assert moved.edit.span.of(change.apply(text)) == source
    assert moved.finding.sentence == Span(0, len(change.apply(text)))


@given(TEXTS, TEXTS, TEXTS, TEXTS)
def test_an_accepted_suggestion_is_recognized_however_little_the_editor_sends(
    before: str, source: str, replacement: str, after: str
) -> None:
    text = f"{before}{source}{after}"
    found = tracked(text, Span(len(before), len(before) + len(source)), replacement)
    shrunk = TextChange.between(source, replacement)
    sent = TextChange(shrunk.span.shift(len(before)), shrunk.new)
    assert sent.apply(text) == apply(text, [found.edit])
    assert found.is_made_by(sent)
    assert not found.is_made_by(TextChange(sent.span, f"{sent.new}!"))
