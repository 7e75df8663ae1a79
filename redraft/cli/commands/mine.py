"""`redraft mine`: real corrections from the history of git repositories."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from redraft.errors import ConfigError
from redraft.terminal.output import count, printable, remark, write
from redraft.terminal.progress import progress

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from redraft.edits.edit import Kind
    from redraft.lab.data.mining import Miner

INTERRUPTED = 130


def mine(
    repositories: Annotated[
        list[Path], typer.Argument(metavar="REPOSITORY", help="Local clones of git repositories, bare ones too.")
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Output table: source, target, repository, commit, licence, kinds, strict or loose; "
            "compressed if it ends in .xz or .gz.",
        ),
    ],
    since: Annotated[
        str | None, typer.Option(metavar="DATE", help="Date of the oldest commit, such as 2023-01-31. Default: any.")
    ] = None,
    kinds: Annotated[
        str | None,
        typer.Option(metavar="KIND,…", help="Kinds of edits that a pair may have, such as spelling. Default: all."),
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Only pairs that are very probably corrections.")] = False,
    limit: Annotated[
        int | None, typer.Option(min=1, metavar="NUMBER", help="Maximum number of pairs. Default: no limit.")
    ] = None,
) -> None:
    """Find real corrections in the history of text files.

    Reads small edits of English prose in Markdown, reStructuredText, AsciiDoc, LaTeX, HTML and plain text, and drops
    those that are no corrections. Prints how many edits each filter dropped. Nothing of a repository is run, and the
    network is not used.
    """
    from redraft.lab.data.mining import Choice, Miner
    from redraft.lab.data.text_output import open_output

    if ".tsv" not in output.suffixes:
        raise ConfigError(f"{output}: name a .tsv, .tsv.xz or .tsv.gz file")
    miner = Miner(Choice(since, _parse_kinds(kinds), strict))
    interrupted = False
    with progress("Reading commits", len(repositories)) as advance, open_output(output) as file:
        try:
            for row in islice(_rows(repositories, miner, advance), limit):
                file.write(row + "\n")
        except KeyboardInterrupt:
            interrupted = True
    write(f"{miner.report.text()}\n{count(miner.report.sure.total(), 'pair')} in {printable(output)}\n")
    if interrupted:
        remark("interrupted; the pairs found until then were written")
        raise typer.Exit(INTERRUPTED)


def _rows(repositories: list[Path], miner: Miner, advance: Callable[[float], None]) -> Iterator[str]:
    from redraft.lab.data.git_repository import open_repository

    for path in repositories:
        with open_repository(path) as repository:
            for pair in miner.mine(repository, advance):
                yield pair.row()


def _parse_kinds(names: str | None) -> frozenset[Kind]:
    from redraft.edits.edit import Kind

    if names is None:
        return frozenset(Kind)
    chosen = [name.strip() for name in names.split(",")]
    for name in chosen:
        if name not in list(Kind):
            raise ConfigError(f"--kinds: no kind is called {name!r}; there are {', '.join(Kind)}")
    return frozenset(map(Kind, chosen))
