"""`redraft distill`: a teacher labels text for a student."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from redraft.errors import ConfigError
from redraft.settings.options import ModelOptions, with_model_options
from redraft.terminal.output import remark, write
from redraft.terminal.progress import progress


@with_model_options("model", "draft", "max_draft", "threshold", "dictionary")
def distill(
    options: ModelOptions,
    teacher: Annotated[str, typer.Argument(metavar="TEACHER", help="A model by name, or a model folder.")],
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE…", help="Text, one sentence a line; of .tsv and .m2 files the sources."),
    ],
    output: Annotated[
        Path, typer.Option("--output", "--out", "-o", help="Source, tab, the teacher's correction: a .tsv file.")
    ],
    errors: Annotated[
        Path | None, typer.Option(metavar="TABLE", help="The text is clean: spoil it with this error table first.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="With --errors: another seed makes other errors.")] = 0,
    beams: Annotated[
        int | None, typer.Option(min=1, help="Beam search of this width; greedy if left out, which is far quicker.")
    ] = None,
    batch: Annotated[int | None, typer.Option(min=1, help="Sentences decoded side by side.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on where a run was interrupted.")] = False,
) -> None:
    """Let a large model correct text, for a small one to learn from.

    Sentences the teacher has no answer to are left out and counted.
    """
    try:
        from redraft.lab.train import distillation
    except ImportError as error:
        raise ConfigError(f"distillation needs {error.name}: pip install 'redraft[train]'") from None
    from redraft.lab.data.readers import Faults
    from redraft.lab.data.synthesis import Recipe
    from redraft.model.catalogue import locate

    if output.suffix != ".tsv":
        raise ConfigError(f"{output}: name a .tsv file")
    corrector = replace(options, model=teacher).open().corrector
    asked = distillation.Teacher(corrector.engine, corrector.tokenizer, corrector.options.decode)
    asked = replace(asked, beams=beams or asked.beams, batch=batch or asked.batch)
    noise = Recipe(errors, seed) if errors else None
    task = distillation.task_checksum(locate(teacher), asked, files, noise)
    faults = Faults()
    with progress("Labelling", None) as advance:
        done = distillation.distill(
            asked,
            distillation.read_sources(files, faults),
            output,
            noise,
            task=task,
            resume=resume,
            advance=advance,
        )
    write(f"{done.written:,} pairs in {output}; {done.left_out:,} sentences left out\n")
    for line in faults.report().splitlines():
        remark(line)
