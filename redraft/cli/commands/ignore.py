"""`redraft ignore`: findings that are not shown again."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from redraft.check.session import Text
from redraft.cli.commands.words import InProject, OnlyProject, OnlyUser, only, open_user_rules, scope
from redraft.cli.findings import locate
from redraft.edits.describe import describe
from redraft.errors import InputError
from redraft.files.text_file import read
from redraft.settings.options import ModelOptions, TextOptions, with_options
from redraft.settings.project import Project, parse_ignored, parse_kind
from redraft.terminal.output import remark, write_line

app = typer.Typer(
    no_args_is_help=True,
    help="Hide findings: one in its sentence, all of a word, or all of a kind; for you or a project.",
)
_PLACE = re.compile(r"(?P<file>.+?):(?P<line>[0-9]{1,9}):(?P<column>[0-9]{1,9}):?", re.DOTALL)


@app.command()
def kind(
    kinds: Annotated[list[str], typer.Argument(metavar="KIND", help="Kinds or rules of findings, such as article.")],
    project: InProject = False,
) -> None:
    """Hide all findings of a kind."""
    user_rules = open_user_rules()
    for name in kinds:
        ignored = parse_ignored([name]).kinds or {parse_kind(name)}
        for each in ignored:
            user_rules.ignore_kind(each, scope(project))


@app.command()
def word(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="WORD", help="Words that findings replace; with + before it, a word that findings insert."
        ),
    ],
    project: InProject = False,
) -> None:
    """Hide all findings that replace or insert a word."""
    user_rules = open_user_rules()
    for each in words:
        user_rules.ignore_word(each, scope(project))


@app.command()
@with_options(ModelOptions, TextOptions, left_out=("include", "exclude", "kind", "ignore", "stdin_filename"))
def once(
    model: ModelOptions,
    text: TextOptions,
    places: Annotated[
        list[str], typer.Argument(metavar="FILE:LINE:COLUMN", help="Place of a finding, as `redraft check` prints it.")
    ],
    project: InProject = False,
) -> None:
    """Hide a finding in its sentence, until the sentence changes."""
    parsed = [_parse_place(place) for place in places]
    workplace = Project.open(text, [path for path, _, _ in parsed])
    session = workplace.session(model)
    user_rules = workplace.user_rules or open_user_rules()
    for path, line, column in parsed:
        source = read(path)
        (result,) = session.check_many([Text(source.text, workplace.format_of(path))])
        places_of = [(at.start.line, at.start.column) for at in locate(source.text, result.findings)]
        if (line, column) not in places_of:
            raise InputError(f"there is no finding at {path}:{line}:{column}; see what `redraft check {path}` says")
        found = [(finding.edit, sentence.text) for sentence in result.sentences for finding in sentence.findings]
        for place, (edit, sentence) in zip(places_of, found, strict=True):
            if place == (line, column):
                user_rules.ignore_once(edit, sentence, scope(project))
                remark(f"{path}:{line}:{column}: {describe(edit)} will not be shown again")


@app.command("list")
def list_(project: OnlyProject = False, user: OnlyUser = False) -> None:
    """List what is hidden, one entry per line."""
    for entry in open_user_rules().list_ignores(only(project, user)):
        write_line(entry)


@app.command()
def remove(
    entries: Annotated[
        list[str], typer.Argument(metavar="ENTRY", help="Entries in quotes, as `redraft ignore list` prints them.")
    ],
    project: InProject = False,
) -> None:
    """Show again what was hidden."""
    user_rules = open_user_rules()
    missing = [entry for entry in entries if not user_rules.remove_ignore(entry, scope(project))]
    if missing:
        raise InputError(f"not ignored{' in the project' * project}: {', '.join(missing)}")


def _parse_place(place: str) -> tuple[Path, int, int]:
    found = _PLACE.fullmatch(place)
    if not found:
        raise InputError(f"{place!r} is not a position; write FILE:LINE:COLUMN, as `redraft check` prints it")
    return Path(found["file"]), int(found["line"]), int(found["column"])
