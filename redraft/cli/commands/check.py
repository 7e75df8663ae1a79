"""`redraft check`: lists findings, for people, editors and continuous integration."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from redraft.cli.baseline import Baseline
from redraft.cli.findings import CheckedText, LocatedFinding, locate
from redraft.cli.report_formats import FORMATS
from redraft.errors import ConfigError
from redraft.files.reviewer import FailedFile, FileReviewer, ReviewedSection
from redraft.settings.options import ModelOptions, TextOptions, with_options
from redraft.settings.project import Project
from redraft.terminal.output import Paint, count, remark, write
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
    possible_errors: Annotated[
        bool | None,
        typer.Option(
            "--possible-errors/--no-possible-errors",
            help="Also places where something is probably wrong but the correction is not certain. They do not count "
            "in the exit code. Default: as the project says, else no.",
            show_default=False,
        ),
    ] = None,
    baseline: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="File of known findings, which are not reported."),
    ] = None,
    update_baseline: Annotated[
        bool, typer.Option("--update-baseline", help="Write the findings to the baseline instead of reporting them.")
    ] = False,
) -> None:
    """List errors (findings) in files, without changing the files.

    In folders, it checks the documents (text, Markdown, LaTeX, HTML) that git does not ignore.

    The exit code is 0 without findings, 1 with findings, 2 if a file could not be checked.
    """
    if format not in FORMATS:
        raise ConfigError(f"--format {format!r} is not known; there are {', '.join(FORMATS)}")
    known = _open_baseline(baseline, update_baseline)
    project = Project.open(text, files)
    reviewer = FileReviewer(project, project.session(model, alternatives, possible_errors))
    paths = [path for path in reviewer.select(files) if known is None or not known.is_at(path)]
    if not paths:
        remark("there is nothing to check: no file was selected")
    tally = Tally(known, update_baseline)
    with progress("Checking", len(paths), shown=not reviewer.awaits_typing(paths)) as bar:
        for piece in FORMATS[format](tally.count(reviewer.review_sections(paths, bar)), Paint(sys.stdout)):
            with bar.hidden():
                write(piece)
    reviewer.report()
    if known and update_baseline:
        remark(f"{known.path}: {count(known.write(), 'known finding')}")
    elif known and known.known:
        remark(f"{count(known.known, 'finding')} not shown: in {known.path}")
    if reviewer.failed or tally.findings:
        raise typer.Exit(2 if reviewer.failed else 1)


def _open_baseline(path: Path | None, is_updated: bool) -> Baseline | None:
    if path is None:
        if is_updated:
            raise ConfigError("--update-baseline needs --baseline FILE, the file to write")
        return None
    return Baseline(path) if is_updated and not path.exists() else Baseline.read(path)


class Tally:
    """Counts findings as they are written, and takes out those of a baseline or records them in it. Possible errors do
    not count."""

    def __init__(self, baseline: Baseline | None = None, update_baseline: bool = False) -> None:
        self.findings = 0
        self._baseline = baseline
        self._update_baseline = update_baseline

    def count(self, sections: Iterable[ReviewedSection | FailedFile]) -> Iterator[CheckedText]:
        """The files of the sections, in order. The findings of one must be read before the next file is asked for."""
        remaining = iter(sections)
        for first in remaining:
            if isinstance(first, FailedFile):
                yield CheckedText(first.name, failure=first.reason)
                continue
            findings = _locate(first, remaining)
            if self._baseline and self._update_baseline:
                self._baseline.record(first.path, findings)
                findings = iter(())
            elif self._baseline:
                findings = self._baseline.hide_known(findings)
            yield CheckedText(first.name, self._count(findings))

    def _count(self, findings: Iterable[LocatedFinding]) -> Iterator[LocatedFinding]:
        for finding in findings:
            self.findings += finding.edit.certain
            yield finding


def _locate(first: ReviewedSection, following: Iterator[ReviewedSection | FailedFile]) -> Iterator[LocatedFinding]:
    """The findings of a file that begins with the section `first`."""
    seen: Counter[str] = Counter()
    # A file that has sections has not failed.
    for reviewed in chain([first], (one for one in following if isinstance(one, ReviewedSection))):
        result = reviewed.result
        yield from locate(result.source, result.findings, reviewed.section.start, seen)
        if reviewed.section.is_last:
            return
