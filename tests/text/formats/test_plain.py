"""Plain text."""

from __future__ import annotations

import pytest

from redraft.text.markup import read


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("One\ntwo.\n\n  Three.", ["One\ntwo.", "Three."]),
        ("One\r\n \t\r\ntwo", ["One", "two"]),
        ("One\r\ntwo.\r\n\r\nThree\rfour.", ["One\r\ntwo.", "Three\rfour."]),
        ("a\n```\nb\n\nc\n```\nd\n\ne", ["a\n```\nb\n\nc\n```\nd", "e"]),
        ("a ``` b\n\nc", ["a ``` b", "c"]),
        (" \n\n ", []),
    ],
)
def test_paragraphs(source, expected):
    marked = read(source, "plain")
    assert [placed.block.text.rstrip() for placed in marked.blocks] == expected
    assert marked.text == source
