"""The command line."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from redraft import __version__
from redraft.cli.command_table import CommandTable
from redraft.errors import RedraftError, one_line
from redraft.terminal.output import remark, write

app = typer.Typer(
    name="redraft",
    cls=CommandTable,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"max_content_width": 100},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        write(f"redraft {__version__}\n")
        raise typer.Exit


@app.callback()
def redraft(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_show_version, help="Show the version and exit.")
    ] = False,
) -> None:
    """Correct grammar, spelling and punctuation on this machine."""


def main() -> None:
    """Runs the command line. An error of the user is one line on stderr and exit code 2; a traceback is a bug."""
    _open_closed_streams()
    try:
        app(prog_name="redraft")
    except RedraftError as error:
        remark(one_line(error, longest=4000))
        sys.exit(2)
    except MemoryError:
        remark("there is not enough memory; use a smaller model, or fewer threads")
        sys.exit(2)
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        remark(one_line(f"{place}{error.strerror or error}", longest=4000))
        sys.exit(2)


def _open_closed_streams() -> None:
    """Replaces streams that the shell closed (`redraft fix <&-`) by empty ones."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode))  # noqa: SIM115 (open as long as the program runs)
