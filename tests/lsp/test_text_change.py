from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from redraft.lsp.text_change import TextChange
from redraft.text.span import Span

TEXTS = st.text("ab 😀\n", max_size=30)


@st.composite
def changes(draw: st.DrawFn) -> tuple[str, TextChange]:
    text = draw(TEXTS)
    start, end = sorted(draw(st.tuples(st.integers(0, len(text)), st.integers(0, len(text)))))
    return text, TextChange(Span(start, end), draw(TEXTS))


@given(TEXTS, TEXTS)
def test_the_change_between_two_texts_turns_one_into_the_other(old: str, new: str) -> None:
    change = TextChange.between(old, new)
    assert change.apply(old) == new
    assert bool(change) == (old != new)


@given(changes(), st.data())
def test_spans_that_a_change_does_not_touch_move_with_their_text(
    given: tuple[str, TextChange], data: st.DataObject
) -> None:
    text, change = given
    start, end = sorted(data.draw(st.tuples(st.integers(0, len(text)), st.integers(0, len(text)))))
    span = Span(start, end)
    moved = change.move(span)
    after = change.apply(text)
    assert moved.end <= len(after)
    if not change.touches(span):
        assert moved.of(after) == span.of(text)


@given(changes())
def test_a_span_grows_with_a_change_inside_it(given: tuple[str, TextChange]) -> None:
    text, change = given
    assert change.move(Span(0, len(text))) == Span(0, len(change.apply(text)))
