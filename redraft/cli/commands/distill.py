"""`redraft distill`: a large model corrects text to train a small model on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from redraft.cli.extras import needs_extra
from redraft.cli.faults import report_faults
from redraft.errors import ConfigError
from redraft.settings.options import ModelOptions, with_model_options
from redraft.terminal.output import printable, write
from redraft.terminal.progress import progress

if TYPE_CHECKING:
    from redraft.decode.loop import DecodeOptions
    from redraft.decode.stepper import Engine
    from redraft.lab.train.bulk_teacher import BulkTeacher


@with_model_options("model", "threshold", "dictionary")
def distill(
    options: ModelOptions,
    teacher: Annotated[str, typer.Argument(metavar="TEACHER", help="Name of a model, or model folder.")],
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE", help="Text, one sentence per line; of .tsv and .m2 files the sources."),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Output: a .tsv file of source and correction.")
    ],
    error_table: Annotated[
        Path | None, typer.Option(metavar="TABLE", help="Error table for clean text, which gets errors first.")
    ] = None,
    seed: Annotated[
        int,
        typer.Option(
            min=0, metavar="NUMBER", help="Seed of the errors, with --error-table, and of samples, with --temperature."
        ),
    ] = 0,
    beams: Annotated[
        int | None,
        typer.Option(min=1, metavar="NUMBER", help="Width of a beam search, which is slow. Default: greedy decoding."),
    ] = None,
    temperature: Annotated[
        float | None,
        typer.Option(
            metavar="NUMBER", help="Temperature to sample at, with --engine cuda. Default: the likeliest tokens."
        ),
    ] = None,
    batch: Annotated[
        int | None,
        typer.Option(min=1, metavar="NUMBER", help="Sentences per batch. Default: 64, with --engine cuda 1024."),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue an interrupted run.")] = False,
) -> None:
    """Correct text with a large model, to train a small model on.

    Sentences without a usable correction are left out and counted.
    """
    with needs_extra("distillation", "train"):
        from redraft.lab.train import distillation
    from redraft.lab.data.readers import Faults, read_sources
    from redraft.lab.data.synthesis import Recipe
    from redraft.model.catalogue import locate

    if output.suffix != ".tsv":
        raise ConfigError(f"{output}: the output must be a .tsv file")
    corrector = replace(options, model=teacher).open()
    decode = replace(corrector.solver.options.decode, threshold=0.0)  # the student learns every edit of the teacher
    model: distillation.Labeller
    if corrector.engine.name == "cuda" and (beams or 1) == 1:
        model = _open_bulk_teacher(corrector.engine, locate(teacher), decode, batch, temperature, seed)
    elif temperature is not None:
        raise ConfigError("--temperature needs --engine cuda, and no --beams")
    else:
        single = distillation.Teacher(corrector.engine, corrector.tokenizer, decode)
        model = replace(single, beams=beams or single.beams, batch=batch or single.batch)
    noise = Recipe(error_table, seed) if error_table else None
    task = distillation.task_checksum(locate(teacher), model, files, noise)
    faults = Faults()
    with progress("Correcting", None) as advance:
        done = distillation.distill(
            model,
            read_sources(files, faults),
            output,
            noise,
            task=task,
            resume=resume,
            advance=advance,
        )
    write(f"{done.written:,} pairs in {printable(output)}; {done.left_out:,} sentences left out\n")
    report_faults(faults)


def _open_bulk_teacher(
    engine: Engine, folder: Path, decode: DecodeOptions, batch: int | None, temperature: float | None, seed: int
) -> BulkTeacher:
    from redraft.engines.cuda.bulk.sampling import Sampling
    from redraft.engines.cuda.engine import CudaEngine
    from redraft.lab.train.bulk_teacher import BulkTeacher
    from redraft.model.folder import ModelFolder

    assert isinstance(engine, CudaEngine)
    sampling = None if temperature is None else Sampling(temperature, seed)
    return BulkTeacher.open(ModelFolder.open(folder), engine.model, decode, batch=batch, sampling=sampling)
