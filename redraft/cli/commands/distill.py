"""`redraft distill`: a large model corrects text to train a small model on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from redraft.cli.extras import needs_extra
from redraft.errors import ConfigError
from redraft.settings.options import ModelOptions, with_model_options
from redraft.terminal.output import printable, remark, write
from redraft.terminal.progress import progress


@with_model_options("model", "threshold", "dictionary")
def distill(
    options: ModelOptions,
    teacher: Annotated[str, typer.Argument(metavar="TEACHER", help="Name of a model, or model folder.")],
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE…", help="Text, one sentence per line; of .tsv and .m2 files the sources."),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="Output: a .tsv file of source and correction.")],
    error_table: Annotated[
        Path | None, typer.Option(metavar="TABLE", help="Error table for clean text, which gets errors first.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the errors, with --error-table.")] = 0,
    beams: Annotated[
        int | None, typer.Option(min=1, help="Width of a beam search, which is slow; greedy decoding by default.")
    ] = None,
    batch: Annotated[int | None, typer.Option(min=1, help="Sentences per batch; 64 by default.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue an interrupted run.")] = False,
) -> None:
    """Correct text with a large model, to train a small model on.

    Sentences without a usable correction are left out and counted.
    """
    with needs_extra("distillation", "train"):
        from redraft.lab.train import distillation
    from redraft.lab.data.readers import Faults
    from redraft.lab.data.synthesis import Recipe
    from redraft.model.catalogue import locate

    if output.suffix != ".tsv":
        raise ConfigError(f"{output}: the output must be a .tsv file")
    corrector = replace(options, model=teacher).open()
    decode = replace(corrector.solver.options.decode, threshold=0.0)  # the student learns every edit of the teacher
    model = distillation.Teacher(corrector.engine, corrector.tokenizer, decode)
    model = replace(model, beams=beams or model.beams, batch=batch or model.batch)
    noise = Recipe(error_table, seed) if error_table else None
    task = distillation.task_checksum(locate(teacher), model, files, noise)
    faults = Faults()
    with progress("Correcting", None) as advance:
        done = distillation.distill(
            model,
            distillation.read_sources(files, faults),
            output,
            noise,
            task=task,
            resume=resume,
            advance=advance,
        )
    write(f"{done.written:,} pairs in {printable(output)}; {done.left_out:,} sentences left out\n")
    for line in faults.report().splitlines():
        remark(line)
