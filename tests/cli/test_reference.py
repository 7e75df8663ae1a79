"""docs/command-line.md shows what `--help` says. `scripts/docs` (REDRAFT_WRITE_DOCS=1) brings it up to date."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main

from redraft.cli.main import app

PAGE = Path(__file__).parent.parent.parent / "docs" / "command-line.md"
BLOCK = re.compile(r"(?<=^```console\n)\$ redraft(?P<command>[a-z0-9 -]*?) --help\n.*?(?=^```$)", re.M | re.S)
Run = Callable[..., Any]


def commands(group: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    context = typer.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        yield (*path, name)
        if hasattr(command, "commands"):
            yield from commands(command, (*path, name))


@pytest.fixture
def show_help(run: Run, monkeypatch: pytest.MonkeyPatch) -> Callable[[re.Match[str]], str]:
    monkeypatch.setenv("COLUMNS", "100")

    def show(block: re.Match[str]) -> str:
        first = block.group().split("\n", maxsplit=1)[0]
        return f"{first}\n{run(*block['command'].split(), '--help').text}"

    return show


def test_every_command_is_there() -> None:
    documented = [tuple(block["command"].split()) for block in BLOCK.finditer(PAGE.read_text(encoding="utf-8"))]
    assert sorted(documented) == sorted([(), *commands(typer.main.get_command(app))])


def test_the_page_says_what_help_says(show_help: Callable[[re.Match[str]], str]) -> None:
    page = PAGE.read_text(encoding="utf-8")
    current = BLOCK.sub(show_help, page)
    if os.environ.get("REDRAFT_WRITE_DOCS"):
        PAGE.write_text(current, encoding="utf-8")
    else:
        assert page == current, "run scripts/docs to bring docs/command-line.md up to date"


def test_values_have_names_instead_of_python_types() -> None:
    shown = "".join(block.group() for block in BLOCK.finditer(PAGE.read_text(encoding="utf-8")))
    assert re.findall(r"<(?:int|float|str|path|file|list|Path)\b.*?>|\{[A-Z].*?\}", shown) == []
