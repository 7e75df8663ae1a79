"""Comments and docstrings, language by language."""

from __future__ import annotations

import pytest

from redraft.text.markup import read


@pytest.mark.parametrize(
    ("format", "source", "expected"),
    [
        (
            "python",
            "#!/usr/bin/env python\n# One line\n# goes on.\n\nx = '# no'  # a remark\n",
            ["One line\ngoes on.", "a remark"],
        ),
        (
            "python",
            'def f():\n    """Says it.\n\n    And more,\n    wrapped.\n    """\n',
            ["Says it.", "And more,\nwrapped."],
        ),
        ("python", 'x = """not\nread"""\nf(\n    """nor this"""\n)\ny = 1\n"""This is."""', ["This is."]),
        ("python", "# noqa: E501\n# type: ignore\n# x = f(y)\n# A remark about it.", ["A remark about it."]),
        (
            "python",
            '"""Adds.\n\nArgs:\n    some_name: The first one.\n    b (int): The second."""',
            ["Adds.", "Args:", "The first one.", "The second."],
        ),
        ("python", '"""Adds.\n\n:param x: the first\n:returns: the sum\n"""', ["Adds.", "the first", "the sum"]),
        ("python", '"""Says.\n\n>>> f(1)\n2 + 2 == 4\n"""', ["Says."]),
        ("c", "/* One\n * two.\n *\n * three */ int x; // a remark\n", ["One\ntwo.", "three", "a remark"]),
        ("c", 's = "// no"; c = \'"\'; // yes it is', ["yes it is"]),
        ("c", "/** @brief Adds.\n * @param a the first\n * @return the sum\n */", ["Adds.", "the first", "the sum"]),
        ("c", "///////////\n// Title\n///////////\n", ["Title"]),
        ("javascript", "// eslint-disable-next-line\nx = `// no`; y = /[/]\\/'/; // a remark", ["a remark"]),
        ("javascript", "/**\n * Uses {@link X} well.\n * @type {x}\n */", ["Uses X well."]),
        (
            "rust",
            "//! Crate docs.\n\n/// Says `x`.\n///\n/// ```\n/// code\n/// ```\n/// After 'a.\n",
            ["Crate docs.", "Says X.", "After 'a."],
        ),
        ("go", "//go:build linux\n\n// Package a does it.\nvar s = `// no`", ["Package a does it."]),
        ("java", "/** Says it. */ class A {} // TODO(me): mend this", ["Says it.", "mend this"]),
        ("shell", '#!/bin/sh\necho "# no" $# ${x#y} # a remark\n', ["a remark"]),
        ("ruby", "# A remark.\n=begin\nMore here.\n=end\nx = '#'", ["A remark.", "More here."]),
        ("lua", "-- One.\n--[[ Two\nlines. ]] x = '--'", ["One.", "Two\nlines."]),
        ("sql", "SELECT '--' -- a remark\n/* More. */", ["a remark", "More."]),
        ("haskell", "-- | Says it.\nf x' = x' --> y\n{- More\nhere. -}", ["Says it.", "More\nhere."]),
        ("xml", "<a b='c'>unread<!-- A remark. --></a>", ["A remark."]),
        ("toml", 'a = \'# no\' # a remark\nb = """\n# no\n"""', ["a remark"]),
        ("yaml", "a: '# no'\nb: it's # a remark\nc: d#e", ["a remark"]),
    ],
)
def test_comments(format, source, expected):
    assert [placed.block.text.strip() for placed in read(source, format).blocks] == expected


def test_comments_apart_are_read_apart():
    source = "# One here\nx = 1\n# two there\n    # three deeper\n"
    assert [placed.block.text for placed in read(source, "python").blocks] == ["One here", "two there", "three deeper"]
