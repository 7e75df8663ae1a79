"""`redraft words`: the dictionaries of the user and the project."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from redraft.errors import InputError
from redraft.terminal.output import remark, write_line

if TYPE_CHECKING:
    from redraft.check.user_rules import UserRulesStore

app = typer.Typer(no_args_is_help=True, help="Dictionary: words that Redraft leaves alone, for you or a project.")

Given = Annotated[list[str], typer.Argument(metavar="WORD", help="One or more words.")]
InProject = Annotated[
    bool, typer.Option("--project", help="For the project of the current folder, instead of the user.")
]
OnlyProject = Annotated[bool, typer.Option("--project", help="Only those of the project of the current folder.")]
OnlyUser = Annotated[bool, typer.Option("--user", help="Only those of the user.")]


@app.command()
def add(words: Given, project: InProject = False) -> None:
    """Add words to the dictionary. A word in lower case matches in any case."""
    user_rules = open_user_rules()
    for word in words:
        if not user_rules.add_word(word, scope(project)):
            remark(f"{word} was there already")


@app.command()
def remove(words: Given, project: InProject = False) -> None:
    """Remove words from the dictionary."""
    user_rules = open_user_rules()
    missing = [word for word in words if not user_rules.remove_word(word, scope(project))]
    if missing:
        raise InputError(f"not in the dictionary{' of the project' * project}: {', '.join(missing)}")


@app.command("list")
def list_(project: OnlyProject = False, user: OnlyUser = False) -> None:
    """List the words, one per line."""
    for word in open_user_rules().list_words(only(project, user)):
        write_line(word)


def open_user_rules() -> UserRulesStore:
    """The files of the user, and those of the project of the current folder."""
    from redraft.check.user_rules import UserRulesStore

    return UserRulesStore.open(Path.cwd())


def scope(project: bool) -> str:
    return "project" if project else "user"


def only(project: bool, user: bool) -> str | None:
    """The scope of the options; None for both."""
    return None if project == user else scope(project)
