"""Text as read, source as written, and the way from one to the other."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redraft.text.markup import Block, Part, join
from redraft.text.span import Span

PARTS = st.lists(
    st.builds(Part, st.text("ab *\n", max_size=4), st.none() | st.text("xy \n", max_size=3)), min_size=1, max_size=8
)


def spans(length: int) -> st.SearchStrategy[Span]:
    return st.tuples(st.integers(0, length), st.integers(0, length)).map(lambda pair: Span(min(pair), max(pair)))


@given(PARTS, st.data())
def test_a_span_is_restored_to_the_same_characters_of_prose_or_not_at_all(parts, data):
    marked = join(parts)
    span = data.draw(spans(len(marked.text)))
    restored = marked.restore(span)
    if restored is None:
        return
    assert restored.of(marked.source) == span.of(marked.text)
    prose = [part.shown is None for part in parts for _ in part.source]
    assert all(prose[restored.start : restored.end])


@given(PARTS, st.data())
def test_edits_of_restored_spans_leave_markup_unchanged(parts, data):
    marked = join(parts)
    restored = marked.restore(data.draw(spans(len(marked.text))))
    if restored is None:
        return
    edited = marked.source[: restored.start] + "Z" + marked.source[restored.end :]
    position = 0
    for part in parts:
        if part.shown is not None:
            position = edited.find(part.source, position)
            assert position >= 0
            position += len(part.source)


@given(PARTS, st.data())
def test_what_covers_a_span_holds_what_is_restored_from_it(parts, data):
    marked = join(parts)
    span = data.draw(spans(len(marked.text)))
    cover, restored = marked.cover(span), marked.restore(span)
    assert cover.end <= len(marked.source)
    if span and restored is not None:
        assert cover == restored


BOLD = join([Part("the "), Part("**", ""), Part("dog"), Part("**", ""), Part(" barks "), Part("`x`", "X"), Part(".")])


@pytest.mark.parametrize(
    ("start", "end", "restored"),
    [
        (4, 7, Span(6, 9)),
        (0, 3, Span(0, 3)),
        (3, 7, None),
        (4, 8, None),
        (14, 15, None),
        (14, 14, Span(18, 18)),
        (15, 15, Span(21, 21)),
        (4, 4, Span(4, 4)),
        (7, 7, Span(11, 11)),
        (16, 16, Span(22, 22)),
    ],
    ids=[
        "inside emphasis",
        "before it",
        "into it",
        "out of it",
        "code",
        "before code",
        "behind code",
        "an insertion before emphasis stays outside",
        "behind it too",
        "at the end",
    ],
)
def test_where_edits_are_placed(start, end, restored):
    assert BOLD.text == "the dog barks X."
    assert BOLD.restore(Span(start, end)) == restored


def test_a_sentence_covers_its_markup():
    assert BOLD.cover(Span(0, 16)) == Span(0, 22)
    assert BOLD.cover(Span(4, 7)) == Span(6, 9)


def test_an_empty_text():
    assert join([]).text == ""
    assert join([]).restore(Span(0, 0)) == Span(0, 0)
    assert Block(()).cover(Span(0, 0)) == Span(0, 0)
