"""`redraft tokenizer`: trains a tokenizer."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from redraft.cli.faults import report_faults
from redraft.cli.source_selection import select_sources, write_records
from redraft.errors import ConfigError
from redraft.terminal.output import printable, remark, write
from redraft.terminal.progress import progress


def tokenizer(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE", help="Text, one sentence per line; both sides of .tsv and .m2 files."),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Output: the tokenizer file, tokenizer.json.")
    ],
    size: Annotated[
        int | None, typer.Option(min=1, metavar="TOKENS", help="Number of tokens. Default: 16,000.")
    ] = None,
    kind: Annotated[
        str,
        typer.Option(metavar="bytes|characters", help="Byte-level BPE, or characters for text without spaces."),
    ] = "bytes",
    source_list: Annotated[
        str | None,
        typer.Option(metavar="open|FILE", help="Source list that must allow all files. Default: any files."),
    ] = None,
) -> None:
    """Train a tokenizer on text."""
    from redraft.lab.data.readers import Faults
    from redraft.lab.data.tokenizer_training import SIZE, Kind, train

    if kind not in list(Kind):
        raise ConfigError(f"--kind must be one of {', '.join(Kind)}, got {kind}")
    wanted = SIZE if size is None else size
    faults = Faults()
    selection = select_sources(source_list)
    if selection is not None:
        selection.admit(*files)
    with progress("Reading", len(files)) as advance:
        trained = train(files, output, faults, Kind(kind), wanted, advance)
    write(f"{trained.size:,} tokens in {printable(output)}\n")
    write_records(selection, [output])
    if trained.size < wanted:
        remark(f"the text is too small for {wanted:,} tokens and gave {trained.size:,}; use more text")
    report_faults(faults)
