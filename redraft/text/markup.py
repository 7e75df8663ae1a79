"""Formats such as Markdown and LaTeX: reads a text in one of them, and finds the format of a file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module

from redraft.errors import InputError
from redraft.text.formats.languages import LANGUAGES
from redraft.text.marked import Block, Marked, Part, Placed, Role, join

__all__ = ["FORMATS", "Block", "Marked", "Part", "Placed", "Role", "format_of", "join", "read", "read_blocks"]

_MARKUP = ("plain", "markdown", "latex", "html", "commit")
"""Each is read by the function `blocks` of the module of that name."""
FORMATS = (*_MARKUP, *LANGUAGES)
"""Names of the formats. Of source code, only comments and docstrings are read."""

_KNOWN_AS = {
    "plain": "txt text plaintext",
    "markdown": "md markdown mdown mkd mdx qmd rmd livemd",
    "latex": "tex latex sty cls ltx",
    "html": "html htm xhtml vue svelte",
    "commit": "commit gitcommit git-commit git-commit-message commit_editmsg merge_msg tag_editmsg squash_msg",
    "python": "py pyi pyw pyx python",
    "c": "c h cc cpp cxx hh hpp hxx cs csharp cuda cu m mm objective-c objective-cpp swift kt kts kotlin scala dart "
    "php proto glsl hlsl zig groovy gradle css scss less",
    "java": "java",
    "javascript": "js mjs cjs jsx ts mts cts tsx javascript javascriptreact typescript typescriptreact",
    "go": "go",
    "rust": "rs rust",
    "shell": "sh shell bash zsh ksh fish shellscript dockerfile makefile mk make cmake cmakelists.txt r jl julia pl pm "
    "perl tcl nix elixir ex exs tf terraform ps1 powershell",
    "ruby": "rb ruby rakefile gemfile",
    "lua": "lua",
    "sql": "sql",
    "haskell": "hs lhs haskell elm purs purescript",
    "xml": "xml xsd xsl xslt svg",
    "toml": "toml ini cfg conf properties",
    "yaml": "yaml yml dockercompose",
}
_FORMAT_OF = {name: format for format, names in _KNOWN_AS.items() for name in names.split()}


def read(source: str, format: str) -> Marked:
    """Reads a text in a format. No text is invalid: whatever is not markup is prose."""
    return Marked(source, read_blocks(source, format))


def read_blocks(source: str, format: str) -> Iterator[Placed]:
    """The blocks of a text in a format, one at a time."""
    return _reader(format)(source)


def format_of(name: str) -> str:
    """The format of a file name or of an editor's language id; "plain" if unknown."""
    last = re.split(r"[/\\]", name.casefold())[-1]
    return _FORMAT_OF.get(last) or _FORMAT_OF.get(last.rpartition(".")[2], "plain")


@cache
def _reader(format: str) -> Callable[[str], Iterator[Placed]]:
    """The function that reads a format. Its module is imported on first use: most texts are in one format."""
    if format in _MARKUP:
        blocks: Callable[[str], Iterator[Placed]] = import_module(f"redraft.text.formats.{format}").blocks
        return blocks
    if format in LANGUAGES:
        from redraft.text.formats.comments import reader

        return reader(format)
    raise InputError(f"no format is called {format!r}; there are {', '.join(FORMATS)}")
