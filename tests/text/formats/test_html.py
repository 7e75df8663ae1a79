"""HTML as its reader sees it."""

from __future__ import annotations

import pytest

from redraft.text.markup import Role, read


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<!DOCTYPE html><head><title>x</title></head><p>One</p><p>two", ["One", "two"]),
        ("<p>a <b>bold</b> word<br/>next</p>", ["a bold word\n\nnext"]),
        ("<ul><li>one<li>two</ul>", ["one", "two"]),
        ("a<script>if (a < b) {}</script>b<style>p{}</style>c<pre>code</pre>d", ["a", "b", "c", "d"]),
        ("use <code>x < 1</code> here", ["use X here"]),
        ("R&amp;D &#233; &nosuch;", ["R&D é &nosuch;"]),
        ("a <!-- hidden <p> --> b", ["a  b"]),
        ("a < b and c > d", ["a < b and c > d"]),
        ("<script>never closed", ["never closed"]),
        ("a <!-- never closed", ["a"]),
        ("<input disabled/><x-y>text</x-y>", ["text"]),
    ],
)
def test_blocks(source, expected):
    assert [placed.block.text.strip() for placed in read(source, "html").blocks] == expected


def test_roles():
    blocks = read("<h1>A</h1><p>b</p><li>c</li>d", "html").blocks
    assert [placed.block.role for placed in blocks] == [Role.TITLE, Role.PARAGRAPH, Role.ITEM, Role.PARAGRAPH]


def test_cells_have_a_role_of_their_own() -> None:
    blocks = read("<table><tr><th>a</th><td>b</td></tr></table>", "html").blocks
    assert [placed.block.role for placed in blocks] == [Role.CELL, Role.CELL]
