from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redraft.text.span import Span, SpanSet

spans = st.tuples(st.integers(0, 30), st.integers(0, 6)).map(lambda pair: Span(pair[0], pair[0] + pair[1]))


def test_a_span_runs_forward_from_zero():
    for start, end in ((-1, 2), (3, 2)):
        with pytest.raises(ValueError, match="needs 0 <= start <= end"):
            Span(start, end)


def test_a_span_slices_shifts_and_contains():
    assert Span(2, 5).of("abcdef") == "cde"
    assert Span(2, 5).shift(3) == Span(5, 8)
    assert len(Span(2, 5)) == 3
    assert Span(2, 5).contains(Span(3, 5))
    assert not Span(2, 5).contains(Span(4, 6))


def test_an_empty_span_overlaps_only_what_it_lies_inside():
    assert Span(3, 3).overlaps(Span(2, 5))
    assert not Span(2, 2).overlaps(Span(2, 5))
    assert not Span(5, 5).overlaps(Span(2, 5))


@given(st.lists(spans, max_size=8), spans)
def test_a_set_answers_as_its_members_would_one_by_one(members, asked):
    assert SpanSet(members).overlap(asked) == any(asked.overlaps(member) for member in members)
