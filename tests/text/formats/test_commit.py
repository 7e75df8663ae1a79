"""Commit messages as their reader sees them."""

from __future__ import annotations

import pytest

from redraft.text.markup import Role, read


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("Add a parser\n", ["Add a parser"]),
        ("feat(core)!: add `x` here\n\nIt helps.", ["add X here", "It helps."]),
        ("fixup! [ABC-1] docs: mend it", ["mend it"]),
        ("Merge branch 'x' into y\n\nText.", ["Text."]),
        ("Subject\n\nBody text.\n\nSigned-off-by: A <a@b.c>\nCo-authored-by: B\n", ["Subject", "Body text."]),
        ("Subject\n\nNote: this stays.", ["Subject", "Note: this stays."]),
        ("Subject\n# a comment\n\nBody # stays\n# another\n", ["Subject", "Body # stays"]),
        ("# first a comment\n\nSubject\n# ---- >8 ----\ndiff --git a b\n+text", ["Subject"]),
        ("Subject\n\nThat is:\n\n    code\n\n- one\n- two", ["Subject", "That is:", "one", "two"]),
        ("# nothing but comments\n", []),
        ("", []),
    ],
)
def test_blocks(source, expected):
    assert [placed.block.text for placed in read(source, "commit").blocks] == expected


def test_the_subject_is_a_title():
    assert [placed.block.role for placed in read("A\n\nb", "commit").blocks] == [Role.TITLE, Role.PARAGRAPH]
