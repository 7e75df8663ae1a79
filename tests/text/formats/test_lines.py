"""Lines and their places."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from redraft.text.formats.lines import lines_of


@given(st.text("ab\n\r\x0c"))
def test_lines_are_what_lies_between_line_feeds(source):
    assert [source[line.start : line.end] for line in lines_of(source)] == source.split("\n")


def test_a_stretch_of_lines():
    assert [(line.start, line.end) for line in lines_of("ab\ncd\nef", 1, 5)] == [(1, 2), (3, 5)]
