"""`redraft lsp`: the language server."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from redraft.cli.extras import needs_extra
from redraft.settings.options import ModelOptions, with_model_options
from redraft.terminal.output import remark


@with_model_options("dictionary")
def lsp(
    options: ModelOptions,
    stdio: Annotated[
        bool, typer.Option("--stdio", help="Use stdin and stdout. Always so; accepted because some editors pass it.")
    ] = False,
) -> None:
    """Run the language server on stdin and stdout.

    Editors start it; docs/editors.md has the settings for VS Code, Neovim, Helix, Zed and Emacs.
    """
    with needs_extra("the language server", "lsp"):
        from redraft.lsp.server import serve
    if sys.stdin.isatty():
        remark("waiting for an editor on stdin; end with Ctrl-D")
    serve(options, remark)
