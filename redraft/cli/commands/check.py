"""`redraft check`: lists findings, for people, editors and continuous integration."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated

import typer

from redraft.cli.findings import CheckedText, locate
from redraft.cli.report_formats import FORMATS
from redraft.errors import ConfigError
from redraft.files.reviewer import FailedFile, FileReviewer, ReviewedFile
from redraft.settings.options import ModelOptions, TextOptions, with_options
from redraft.settings.project import Project
from redraft.terminal.output import Paint, remark, write
from redraft.terminal.progress import progress


@with_options(ModelOptions, TextOptions)
def check(
    model: ModelOptions,
    text: TextOptions,
    files: Annotated[list[Path], typer.Argument(metavar="FILE", help="Files, folders or patterns; - is stdin.")],
    format: Annotated[
        str,
        typer.Option(metavar="|".join(FORMATS), help="Format of the report.", autocompletion=lambda: list(FORMATS)),
    ] = "text",
    alternatives: Annotated[
        bool, typer.Option("--alternatives", help="Up to three replacements for each error, in text and JSON reports.")
    ] = False,
) -> None:
    """List errors in files, without changing the files.

    Of folders it takes documents (text, Markdown, LaTeX, HTML) that git does not ignore.

    The exit code is 0 without findings, 1 with findings, 2 if a file could not be checked.
    """
    if format not in FORMATS:
        raise ConfigError(f"--format {format!r} is not known; there are {', '.join(FORMATS)}")
    project = Project.open(text, files)
    reviewer = FileReviewer(project, project.session(model, alternatives))
    paths = reviewer.select(files)
    if not paths:
        remark("there is nothing to check: no file was selected")
    tally = Tally()
    with progress("Checking", len(paths), shown=not reviewer.awaits_typing(paths)) as bar:
        for piece in FORMATS[format](tally.count(reviewer.review(paths, bar)), Paint(sys.stdout)):
            with bar.hidden():
                write(piece)
    reviewer.report()
    if reviewer.failed or tally.findings:
        raise typer.Exit(2 if reviewer.failed else 1)


class Tally:
    """Counts findings as they are written."""

    def __init__(self) -> None:
        self.findings = 0

    def count(self, files: Iterable[ReviewedFile | FailedFile]) -> Iterator[CheckedText]:
        for file in files:
            if isinstance(file, FailedFile):
                yield CheckedText(file.name, failure=file.reason)
                continue
            findings = tuple(locate(file.source.text, file.result.findings))
            self.findings += len(findings)
            yield CheckedText(file.name, findings)
