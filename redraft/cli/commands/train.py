"""`redraft train`, `redraft average` and `redraft plot`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from redraft.errors import ConfigError
from redraft.terminal.output import remark


def train(
    config: Annotated[Path, typer.Argument(metavar="CONFIG.toml", help="What to train, on what, and how long.")],
    changes: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change one setting; may be repeated.")
    ] = None,
    minutes: Annotated[float | None, typer.Option(help="Save and stop after so many minutes.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the last checkpoint, if there is one.")] = False,
) -> None:
    """Train a model as a config file says.

    The finished model is the folder `model` in the run's folder. A run stopped by --minutes or by SIGTERM exits
    with 3 and goes on with --resume.
    """
    try:
        from redraft.lab.train.config import read
        from redraft.lab.train.stages import train as train_model
    except ImportError as error:
        raise ConfigError(f"training needs {error.name}: pip install 'redraft[train]'") from None
    raise typer.Exit(train_model(read(config, changes or ()), minutes=minutes, resume=resume).exit_code)


def average(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="The model folder whose shape and tokenizer to take.")
    ],
    weights: Annotated[list[Path], typer.Argument(metavar="WEIGHTS…", help="Weights or checkpoints to average.")],
    output: Annotated[Path, typer.Option("--output", "--out", "-o", help="The model folder to write.")],
) -> None:
    """Average the weights of several checkpoints of one run into a new model folder."""
    try:
        from redraft.lab.train.result import average_models
    except ImportError as error:
        raise ConfigError(f"averaging needs {error.name}: pip install 'redraft[train]'") from None
    written = average_models(folder, weights, output)
    remark(f"{written.path} is the mean of {len(weights)}")


def plot(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a training run, or its log file.")],
    output: Annotated[Path, typer.Option("--output", "--out", "-o", help="The picture: .png, .svg or .pdf.")],
) -> None:
    """Draw the loss of a run and its scores on dev. The run may still be going on."""
    from redraft.lab.train import curve

    found = curve.read_curve(run)
    try:
        curve.plot(found, output)
    except ImportError as error:
        raise ConfigError(f"a plot needs {error.name}: pip install 'redraft[plots]'") from None
    except ValueError as error:  # what matplotlib says of an ending it does not know
        raise ConfigError(f"{output}: {error}") from None
    remark(f"{output} shows {len(found.losses):,} losses up to step {max(found.losses):,}")
