"""What holds for every format."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redraft.errors import InputError
from redraft.text.markup import FORMATS, format_of, read
from redraft.text.span import Span

PIECES = r"""
word Another. she go to > - * 1. # ## ``` ~~~ ` `` *** __ ~~ [ ] ( ) ]( ![ <b> </b> <p> <!-- --> <script> </script>
<code> </code> &amp; | |--| --- === $ $$ \( \) \[ \] \begin{equation} \end{equation} \section{ } { % \cite{a} \item \\ ~
-- // /* */ /// \' \" --[[ ]] {- -} =begin =end r#" "# ' " @param TODO: : ; [^1]: [a]: +++ é 𝒳 https://a.b/c_d_
"""
SPACES = [" ", "    ", "\t", "\n", "\n\n", "\r\n", "\n    ", "'''", '"""', "\ud800"]
SOURCES = st.lists(st.sampled_from([*PIECES.split(), *SPACES]) | st.text(max_size=3), max_size=40).map("".join)


@pytest.mark.parametrize("format", FORMATS)
@given(source=SOURCES, data=st.data())
def test_nothing_is_lost_and_only_prose_is_restored(format, source, data):
    marked = read(source, format)
    assert marked.source == source
    end = 0
    for placed in marked.blocks:
        assert placed.start >= end
        end = placed.start + len(placed.block.source)
        assert source[placed.start : end] == placed.block.source
        assert "".join(part.text for part in placed.block.parts) == placed.block.text
    first, second = sorted(data.draw(st.tuples(*[st.integers(0, len(marked.text))] * 2)))
    restored = marked.restore(Span(first, second))
    if restored is not None:
        assert restored.of(source) == marked.text[first:second]


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize(
    "piece", [">", "> ", "[", "![", "](", "- ", "*", "`", "$", "{", "\\cite{", "<b>", "<", "/*", '"', "|", "\\", "[["]
)
def test_deep_nesting_is_read(format, piece):
    source = piece * 10_000 + " a text."
    assert read(source, format).source == source


@pytest.mark.parametrize("format", ["plain", "markdown", "latex", "html", "commit"])
def test_plain_prose_is_read_unchanged(format):
    source = "One sentence here. Another one, with a comma.\n\nA second paragraph\nof two lines.\n"
    assert read(source, format).text == source


def test_an_unknown_format_is_refused():
    with pytest.raises(InputError, match="there are plain, markdown"):
        read("", "word")


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("README.md", "markdown"),
        ("docs/thesis.TEX", "latex"),
        ("C:\\site\\index.html", "html"),
        (".git/COMMIT_EDITMSG", "commit"),
        ("gitcommit", "commit"),
        ("typescriptreact", "javascript"),
        ("lib.rs", "rust"),
        ("shellscript", "shell"),
        ("Makefile", "shell"),
        ("notes", "plain"),
        ("notes.txt", "plain"),
        ("", "plain"),
    ],
)
def test_formats_of_file_names(name, format):
    assert format_of(name) == format


def test_every_name_leads_to_a_format():
    assert {format_of(format) for format in FORMATS} == set(FORMATS)
