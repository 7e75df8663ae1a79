"""Markdown as its reader sees it."""

from __future__ import annotations

import pytest

from redraft.text.markup import Role, read


def texts(source: str) -> list[str]:
    return [placed.block.text for placed in read(source, "markdown").blocks]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("# A title #\n\nText.", ["A title", "Text."]),
        ("A title\n=======\nText", ["A title", "Text"]),
        ("- one\n- two\n  goes on\n\n  more", ["one", "two\ngoes on", "more"]),
        ("1. one\n2) two", ["one", "two"]),
        ("- - deep\n", ["deep"]),
        ("- [ ] a task\n- [x] a done one", ["a task", "a done one"]),
        ("We met in\n1986. It was cold.", ["We met in\n1986. It was cold."]),
        ("> quoted\n> text\nlazily", ["quoted\ntext\nlazily"]),
        ("| a | the b |\n|---|:-:|\n| c `x\\|` | d \\| e |\n\nafter", ["a", "the b", "c X", "d | e", "after"]),
        ("Before\n```\ncode here\n```\nafter", ["Before", "after"]),
        ("~~~ js\na\n```\n~~~\nafter", ["after"]),
        ("```\nnever closed\n\nstill code", []),
        ("text\n\n    indented code\n\ntext", ["text", "text"]),
        ("text\n    goes on", ["text\ngoes on"]),
        ("- item\n\n      code of the item\n\n  text of it", ["item", "text of it"]),
        ("---\ntitle: x\n---\nText", ["Text"]),
        ("+++\ntitle = 1\n+++\nText", ["Text"]),
        ("a\n\n---\n\nb\n***\nc", ["a", "b", "c"]),
        ("[a]: https://b.c 'd'\n[^1]: A note.\n", ["A note."]),
        ("Term\n: explained here", ["Term", "explained here"]),
        ("$$\nx = y\n$$\nafter", ["after"]),
        ("<script>\nvar a;\n</script>\n<!-- a\n\nb -->\ntext", ["text"]),
        ("one  \ntwo\\\nthree", ["one\n\ntwo\n\nthree"]),
        (":::note\nRead this.\n:::", ["Read this."]),
    ],
)
def test_blocks(source, expected):
    assert texts(source) == expected


def test_roles():
    roles = [placed.block.role for placed in read("# A\n\nb\n\n- c\n\n|d|e|\n|-|-|\n", "markdown").blocks]
    assert roles == [Role.TITLE, Role.PARAGRAPH, Role.ITEM, Role.CELL, Role.CELL]


@pytest.mark.parametrize("code", ["```\nx = 1\n```", "    x = 1", "$$\nx\n$$"])
def test_a_paragraph_in_lower_case_below_code_continues_a_sentence(code: str) -> None:
    source = f"The line\n\n{code}\n\nsets it. Then on.\n\nand more\n\n{code}\n\nAnd more.\n"
    roles = {placed.block.text: placed.block.role for placed in read(source, "markdown").blocks}
    assert roles["sets it. Then on."] is Role.ITEM
    assert roles["The line"] is roles["and more"] is roles["And more."] is Role.PARAGRAPH


@pytest.mark.parametrize("last", ["-", "- ", "1. ", "[^1]:", "> - "])
def test_an_empty_item_below_code_may_end_the_text(last: str) -> None:
    assert texts(f"Before\n```\ncode\n```\n{last}") == ["Before"]
