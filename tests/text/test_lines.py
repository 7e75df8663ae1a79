from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from redraft.text.lines import split_lines


@given(st.text(alphabet="a\r\n\x0b\u2028 "))
def test_only_a_line_feed_ends_a_line(text: str) -> None:
    lines = split_lines(text)
    assert "".join(lines) == text
    assert all(line.find("\n") in (-1, len(line) - 1) for line in lines)
