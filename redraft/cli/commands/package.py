"""`redraft package`: makes a model folder installable."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from redraft.terminal.output import printable, write


def package(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Model folder, as `redraft export` leaves it.")],
    version: Annotated[str, typer.Option(metavar="VERSION", help="Version of the distribution.")] = "0.1.0",
) -> None:
    """Write a model folder's pyproject.toml and LICENSE, so that it can be built and installed.

    The installed model is found by its name: `redraft.load("en-open")`, `--model en-open`.
    """
    from redraft.lab.export.distribution import write_distribution
    from redraft.model.folder import ModelFolder

    name = write_distribution(ModelFolder.open(folder), version)
    write(f"{name} {version}: build it with `python -m build --wheel {printable(folder)}`\n")
