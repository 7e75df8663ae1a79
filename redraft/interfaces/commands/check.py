"""`redraft check`: what there is to mend, for people, editors and continuous integration."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated

import typer

from redraft.errors import ConfigError, RedraftError
from redraft.interfaces.files import read
from redraft.interfaces.formats import FORMATS, CheckedText, locate
from redraft.interfaces.options import ModelOptions, with_model_options
from redraft.interfaces.output import Paint, remark, write
from redraft.interfaces.progress import progress
from redraft.interfaces.proofreader import Proofreader


@with_model_options()
def check(
    options: ModelOptions,
    files: Annotated[list[Path], typer.Argument(metavar="FILE", help="Text files; - is stdin.")],
    format: Annotated[str, typer.Option(metavar="|".join(FORMATS), help="How to write the findings.")] = "text",
) -> None:
    """List what could be mended in files, without changing them.

    Exits with 0 if there is nothing to mend, 1 if there are findings, 2 if a file could not be checked.
    """
    if format not in FORMATS:
        raise ConfigError(f"no format is called {format!r}; there are {', '.join(FORMATS)}")
    review = Review(options.open())
    with progress("Checking", len(files), writes=True) as advance:
        for piece in FORMATS[format](review.read(files, advance), Paint(sys.stdout)):
            write(piece)
    if review.failed or review.found:
        raise typer.Exit(2 if review.failed else 1)


class Review:
    """Goes through files one by one and remembers whether anything was found and whether anything failed."""

    def __init__(self, proofreader: Proofreader) -> None:
        self._proofreader = proofreader
        self.found = False
        self.failed = False

    def read(self, paths: list[Path], advance: Callable[[], None]) -> Iterator[CheckedText]:
        for path in paths:
            try:
                yield self._check(path)
            except RedraftError as error:
                remark(str(error))
                self.failed = True
            advance()

    def _check(self, path: Path) -> CheckedText:
        source = read(path)
        findings = tuple(locate(source.text, self._proofreader.correct(source.text).edits))
        self.found = self.found or bool(findings)
        return CheckedText(source.name, findings)
