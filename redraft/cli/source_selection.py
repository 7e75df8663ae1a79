"""The option `--source-list` of commands that make training data."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from redraft.terminal.output import write

if TYPE_CHECKING:
    from redraft.lab.data.source_record import SourceSelection

SOURCE_LIST_HELP = "Source list: only what it allows is used. Default: everything."


def select_sources(source_list: str | None) -> SourceSelection | None:
    """What a source list allows; None without a list."""
    from redraft.lab.data import source_record

    return source_record.select_sources(source_list)


def write_records(selection: SourceSelection | None, files: Iterable[Path]) -> None:
    """Write the record of the sources beside each file, and say what was used and left out."""
    if selection is None:
        return
    for path in files:
        selection.record.write(path)
    used = selection.record
    write(f"used of the source list: sources {len(used.sources)}, repositories {len(used.repositories)}\n")
    if selection.left_out:
        write(f"rows left out, because their repository is not listed: {selection.left_out.total():,}\n")
