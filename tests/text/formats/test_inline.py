"""Markup inside a paragraph."""

from __future__ import annotations

import pytest

from redraft.text.formats.inline import inline_masks, read_tag
from redraft.text.formats.masks import Mask
from redraft.text.markup import read
from redraft.text.span import Span


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a **bold *and* thin** word", "a bold and thin word"),
        ("snake_case and 2 * 3 and 2*3", "snake_case and 2 * 3 and 2*3"),
        ("use `x` and ``a ` b`` here", "use X and X here"),
        ("an ` alone", "an ` alone"),
        ("see [the docs](https://a.b/c_(d) 'title') now", "see the docs now"),
        ("see [the docs][ref] and [sic]", "see the docs and [sic]"),
        ("[![badge](a.png)](b) text", " text"),
        ("Click ![save](a.png) to save", "Click X to save"),
        ("a note[^1] here", "a note here"),
        ("as shown [@smith, p. 3].", "as shown [1]."),
        ("where $x_1$ is and $5 or $10", "where X is and $5 or $10"),
        ("R&amp;D &lt; caf&eacute;", "R&D < café"),
        ("\\*not bold\\*", "*not bold*"),
        ("a <b>bold</b> <kbd>Ctrl</kbd> key<br>next", "a bold X key\n\nnext"),
        ("a List<T> here <!-- hidden --> end", "a ListX here  end"),
        ("write to <https://a.b> soon", "write to X soon"),
        ("https://a.b/_c_ stays", "https://a.b/_c_ stays"),
        ("{{ name }} is {% if %} ~~gone~~", "X is X gone"),
    ],
)
def test_inline_markup(source, expected):
    assert [placed.block.text for placed in read(source, "markdown").blocks] == [expected]


def test_what_is_hidden_already_opens_nothing():
    source = "one\n * two*"
    assert inline_masks(source, Span(0, len(source)), [Mask(3, 6, "\n")]) == [Mask(10, 11)]


def test_tags_that_are_not_html_are_read_as_a_word():
    assert [read_tag(name) for name in ("b", "p", "my-part", "t")] == ["", "\n\n", "", "X"]
