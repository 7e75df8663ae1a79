"""`redraft tokenizer`: the tokens of a language, learnt from its text."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from redraft.errors import ConfigError
from redraft.terminal.output import remark, write
from redraft.terminal.progress import progress


def tokenizer(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE…", help="Text, one sentence a line; of .tsv and .m2 files both sides."),
    ],
    output: Annotated[Path, typer.Option("--output", "--out", "-o", help="The tokenizer file, tokenizer.json.")],
    size: Annotated[
        int | None, typer.Option(min=1, metavar="TOKENS", help="How many tokens; 16,000 if left out.")
    ] = None,
    kind: Annotated[
        str, typer.Option(metavar="bytes|characters", help="characters where no spaces part the words.")
    ] = "bytes",
) -> None:
    """Learn the tokens of a language from its text."""
    from redraft.lab.data.readers import Faults
    from redraft.lab.data.subwords import SIZE, Kind, learn

    if kind not in list(Kind):
        raise ConfigError(f"--kind must be one of {', '.join(Kind)}, got {kind}")
    wanted = SIZE if size is None else size
    faults = Faults()
    with progress("Reading", len(files)) as advance:
        learnt = learn(files, output, faults, Kind(kind), wanted, advance)
    write(f"{learnt.size:,} tokens in {output}\n")
    if learnt.size < wanted:
        remark(f"the text gave no more than {learnt.size:,} of {wanted:,} tokens; more text gives more")
    for line in faults.report().splitlines():
        remark(line)
