from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from redraft.check.document import Finding
from redraft.edits.edit import Edit, apply
from redraft.lsp.notes import Change, Note
from redraft.text.span import Span

TEXTS = st.text("ab 😀\n", max_size=30)


@st.composite
def changes(draw: st.DrawFn) -> tuple[str, Change]:
    text = draw(TEXTS)
    start, end = sorted(draw(st.tuples(st.integers(0, len(text)), st.integers(0, len(text)))))
    return text, Change(Span(start, end), draw(TEXTS))


def note(text: str, span: Span, replacement: str = "x") -> Note:
    return Note(Finding(Edit(span, span.of(text), replacement), Span(0, len(text)), "RULE"), text)


@given(TEXTS, TEXTS)
def test_the_change_between_two_texts_makes_the_one_of_the_other(old: str, new: str) -> None:
    change = Change.between(old, new)
    assert change.apply(old) == new
    assert bool(change) == (old != new)


@given(changes(), st.data())
def test_what_a_change_does_not_touch_moves_with_the_text(given: tuple[str, Change], data: st.DataObject) -> None:
    text, change = given
    start, end = sorted(data.draw(st.tuples(st.integers(0, len(text)), st.integers(0, len(text)))))
    span = Span(start, end)
    moved = change.move(span)
    after = change.apply(text)
    assert moved.end <= len(after)
    if not change.touches(span):
        assert moved.of(after) == span.of(text)
        assert note(text, span).move(change).edit.span == moved


@given(changes())
def test_a_sentence_grows_with_what_is_typed_into_it(given: tuple[str, Change]) -> None:
    text, change = given
    assert change.move(Span(0, len(text))) == Span(0, len(change.apply(text)))


@given(TEXTS, TEXTS, TEXTS, TEXTS)
def test_taking_a_suggestion_is_seen_however_little_the_editor_sends(
    before: str, source: str, replacement: str, after: str
) -> None:
    text = f"{before}{source}{after}"
    found = note(text, Span(len(before), len(before) + len(source)), replacement)
    shrunk = Change.between(source, replacement)
    sent = Change(shrunk.span.shift(len(before)), shrunk.new)
    assert sent.apply(text) == apply(text, [found.edit])
    assert found.is_made_by(sent)
    assert not found.is_made_by(Change(sent.span, f"{sent.new}!"))
