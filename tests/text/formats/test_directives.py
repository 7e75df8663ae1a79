"""Prose and machinery in comments."""

from __future__ import annotations

import pytest

from redraft.text.formats.directives import TAG, is_unread


@pytest.mark.parametrize(
    "line",
    [
        "noqa: E501",
        "eslint-disable-next-line",
        "type: ignore[arg-type]",
        "SPDX-License-Identifier: MIT",
        "x = compute(y)",
        "return foo(bar);",
        "if (a > b) {",
        "import os",
        "from a.b import c",
        ">>> f(1)",
        "-----------",
        "foo.bar(baz);",
        "</div>",
        "@Override",
    ],
)
def test_lines_that_are_not_prose(line):
    assert is_unread(line)


@pytest.mark.parametrize(
    "line",
    [
        "Returns the sum of both numbers.",
        "the value, or None (if there is none)",
        "import the data first, then train",
        "If it fails, try again;",
        "See `f(x) = [y]` for details.",
        "return early where nothing is left to do",
        "A type is not always known.",
    ],
)
def test_prose(line):
    assert not is_unread(line)


@pytest.mark.parametrize(
    ("line", "tag"),
    [
        ("TODO(me): mend", "TODO(me): "),
        ("FIXME mend", "FIXME "),
        ("@param {string} name - the name", "@param {string} name - "),
        ("@returns the sum", "@returns "),
        (":param int x: the first", ":param int x: "),
        ("some_name: the first", "some_name: "),
        ("x (int): the first", "x (int): "),
    ],
)
def test_tags(line, tag):
    match = TAG.match(line)
    assert match is not None and match.group() == tag


def test_ordinary_words_are_no_tags():
    assert TAG.match("Note that it works") is None
