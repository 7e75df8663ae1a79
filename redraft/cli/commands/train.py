"""`redraft train`, `redraft split-checkpoint` and `redraft average`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from redraft.cli.extras import needs_extra
from redraft.terminal.output import remark, write_line


def train(
    config: Annotated[Path, typer.Argument(metavar="CONFIG.toml", help="Training config: model, data and stages.")],
    changes: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Setting to change. May be repeated.")
    ] = None,
    minutes: Annotated[
        float | None,
        typer.Option(metavar="MINUTES", help="Time limit, after which the run saves and stops. Default: none."),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue from the last checkpoint, if any.")] = False,
    index: Annotated[
        bool, typer.Option("--index", help="Only unpack and index the text, for a run that comes later.")
    ] = False,
) -> None:
    """Train a model from a config file.

    The finished model is the folder `model` in the run's folder. If the config has variants, it has the mean of their
    weights. A run stopped by --minutes or by SIGTERM exits with 3
    and can be continued with --resume.
    """
    with needs_extra("training", "train"):
        from redraft.lab.train.config import read
        from redraft.lab.train.sources import index_text
        from redraft.lab.train.training_run import train as train_model
    if index:
        index_text(read(config, changes or ()))
        return
    raise typer.Exit(train_model(read(config, changes or ()), minutes=minutes, resume=resume).exit_code)


def split_checkpoint(
    checkpoint: Annotated[Path, typer.Argument(metavar="CHECKPOINT", help="Checkpoint file, or folder of a run.")],
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Folder for the parts.")],
    mib: Annotated[int, typer.Option(min=1, metavar="MIB", help="Largest size of a part in MiB.")] = 16,
) -> None:
    """Write a checkpoint as small files in 16 bits, to continue the run on another machine.

    `redraft train --resume` reads them from the folder `checkpoint` in the run's folder.
    """
    with needs_extra("splitting a checkpoint", "train"):
        from redraft.lab.train.checkpoint_parts import split
    for path in split(checkpoint, folder, mib * 2**20):
        write_line(str(path))


def average(
    folder: Annotated[
        Path,
        typer.Argument(metavar="FOLDER", help="Model or tagger that all but the weights is copied from."),
    ],
    weights: Annotated[list[Path], typer.Argument(metavar="WEIGHTS", help="Weights files or checkpoints to average.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FOLDER", help="Folder to write.")],
) -> None:
    """Average the weights of several checkpoints of one run into a new model or tagger."""
    with needs_extra("averaging", "train"):
        from redraft.lab.tagger.averaging import average_taggers, is_tagger
        from redraft.lab.train.model_writer import average_models
    average_weights = average_taggers if is_tagger(folder) else average_models
    written = average_weights(folder, weights, output)
    remark(f"{written.path} has the mean weights of {len(weights)} files")
