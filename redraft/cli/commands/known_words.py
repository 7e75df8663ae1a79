"""`redraft known-words`: gives a model the words that are no misspellings."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from redraft.cli.faults import report_faults
from redraft.cli.source_selection import SOURCE_LIST_HELP, select_sources
from redraft.terminal.output import printable, write
from redraft.terminal.progress import progress


def known_words(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="Model folder that gets the words.")],
    files: Annotated[list[Path], typer.Argument(metavar="FILE", help="Clean text, one sentence per line.")],
    word_list: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE", help="Dictionary, one word per line: its words are known, however rare. May be repeated."
        ),
    ] = None,
    misspelt: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE", help="List of misspellings, whose wrong words are left out: wrong->right. May be repeated."
        ),
    ] = None,
    source_list: Annotated[str | None, typer.Option(metavar="open|FILE", help=SOURCE_LIST_HELP)] = None,
) -> None:
    """Give a model the words of its training text and of dictionaries, by which it knows misspellings.

    A word in small letters that is not among them is nearly always misspelt: its correction needs less confidence.
    """
    from redraft.lab.data.frequent_words import find_frequent_words, read_misspelt, read_word_list
    from redraft.lab.data.readers import Faults
    from redraft.model.folder import WORDS, ModelFolder, seal
    from redraft.model.known_words import KnownWords

    folder = ModelFolder.open(model)
    dictionaries, misspellings = word_list or [], misspelt or []
    selection = select_sources(source_list)
    if selection is not None:
        selection.admit_model(folder.path, folder.info.licence)
        selection.admit(*files, *dictionaries, *misspellings)
    faults = Faults()
    listed = {word for path in dictionaries for word in read_word_list(path, faults)}
    wrong = {word for path in misspellings for word in read_misspelt(path, faults)}
    with progress("Counting", len(files)) as advance:
        words = (find_frequent_words(files, faults, advance) | listed) - wrong
    KnownWords.build(words).write(folder.path / WORDS)
    seal(folder.path)
    write(f"{len(words):,} words in {printable(folder.path / WORDS)}\n")
    report_faults(faults)
