"""`redraft words`: a dictionary of one's own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from redraft.errors import InputError
from redraft.terminal.output import remark, write

if TYPE_CHECKING:
    from redraft.check.user_rules import UserRulesStore

app = typer.Typer(no_args_is_help=True, help="The words that Redraft leaves alone: yours, and those of a project.")

Given = Annotated[list[str], typer.Argument(metavar="WORD", help="One word or several.")]
InProject = Annotated[bool, typer.Option("--project", help="In the project one is in, not for oneself.")]
OnlyProject = Annotated[bool, typer.Option("--project", help="Only those of the project one is in.")]
OnlyUser = Annotated[bool, typer.Option("--user", help="Only one's own.")]


@app.command()
def add(words: Given, project: InProject = False) -> None:
    """Leave words alone from now on. A word in lower case counts in any case."""
    user_rules = open_user_rules()
    for word in words:
        if not user_rules.add_word(word, scope(project)):
            remark(f"{word} was there already")


@app.command()
def remove(words: Given, project: InProject = False) -> None:
    """Take words out again."""
    user_rules = open_user_rules()
    missing = [word for word in words if not user_rules.remove_word(word, scope(project))]
    if missing:
        raise InputError(f"not in the dictionary{' of the project' * project}: {', '.join(missing)}")


@app.command("list")
def list_(project: OnlyProject = False, user: OnlyUser = False) -> None:
    """List the words, one a line."""
    for word in open_user_rules().list_words(only(project, user)):
        write(f"{word}\n")


def open_user_rules() -> UserRulesStore:
    """The person's files, and those of the project that the command runs in."""
    from redraft.check.user_rules import UserRulesStore

    return UserRulesStore.open(Path.cwd())


def scope(project: bool) -> str:
    return "project" if project else "user"


def only(project: bool, user: bool) -> str | None:
    """The one scope that was asked for; None for both."""
    return None if project == user else scope(project)
