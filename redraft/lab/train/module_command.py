"""Commands that are run with `python -m`, on machines without the packages of the command line."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from redraft.errors import RedraftError
from redraft.lab.data.source_record import SourceSelection, select_sources
from redraft.lab.train.config import TrainConfig, read
from redraft.model.folder import ModelFolder


def run_command(work: Callable[[], int]) -> int:
    """The exit code of `work`, or 2 after one line on standard error if its input is wrong."""
    try:
        return work()
    except RedraftError as error:
        print(f"error: {error}", file=sys.stderr)  # noqa: T201
        return 2


def add_model_options(parser: argparse.ArgumentParser) -> None:
    """Options of commands that run a model over text."""
    parser.add_argument("--source-list", help="source list, open or a file; default none")
    parser.add_argument("--device", default="", help="such as cuda; default: a GPU if there is one")


@dataclass(frozen=True, slots=True)
class ModelAndSources:
    """The model of a command with `add_model_options`, and what its source list allows."""

    folder: ModelFolder
    selection: SourceSelection | None

    @classmethod
    def open(cls, model: Path, source_list: str | None, inputs: Sequence[Path]) -> ModelAndSources:
        """Refuses a model and inputs that the source list does not allow."""
        folder = ModelFolder.open(model)
        selection = select_sources(source_list)
        if selection:
            selection.admit(*inputs)
            selection.admit_model(folder.path, folder.info.licence)
        return cls(folder, selection)

    def record(self, *outputs: Path) -> None:
        """Writes beside each output which sources it was made from, if there is a source list."""
        if self.selection:
            for output in outputs:
                self.selection.record.write(output)


class Result(Protocol):
    @property
    def exit_code(self) -> int: ...


class Train(Protocol):
    def __call__(self, config: TrainConfig, *, minutes: float | None, resume: bool) -> Result: ...


def train_command(
    program: str, description: str, find_train: Callable[[], Train], arguments: list[str] | None = None
) -> int:
    """Reads the arguments of a training command and trains. `find_train` imports what trains, and torch with it:
    worker processes import the command's module too, and should start without torch."""
    parser = argparse.ArgumentParser(prog=program, description=description)
    parser.add_argument("config", type=Path, help="training config, a TOML file")
    parser.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", dest="changes", help="setting to change; repeatable"
    )
    parser.add_argument("--minutes", type=float, help="time limit in minutes; the run saves and stops; default none")
    parser.add_argument("--resume", action="store_true", help="continue from the last checkpoint, if there is one")
    parser.add_argument(
        "--index", action="store_true", help="only unpack and index the text, for a run that comes later"
    )
    options = parser.parse_args(arguments)

    def run() -> int:
        config = read(options.config, options.changes)
        if options.index:
            from redraft.lab.train.sources import index_text  # imports torch

            index_text(config)
            return 0
        return find_train()(config, minutes=options.minutes, resume=options.resume).exit_code

    return run_command(run)
