"""`python -m redraft.lab.train`: the same as `redraft train`, with argparse instead of typer.

GPU machines often have torch, numpy, tokenizers and safetensors alone, without the packages of the command line, and
torchrun starts modules, not commands.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from redraft.lab.train.config import read
from redraft.lab.train.module_command import run_command


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m redraft.lab.train", description="Train a model from a config file."
    )
    parser.add_argument("config", type=Path, help="training config, a TOML file")
    parser.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", dest="changes", help="setting to change; repeatable"
    )
    parser.add_argument("--minutes", type=float, help="time limit in minutes; the run saves and stops; default none")
    parser.add_argument("--resume", action="store_true", help="continue from the last checkpoint, if there is one")
    options = parser.parse_args(arguments)

    def run() -> int:
        config = read(options.config, options.changes)
        # Imported here because worker processes import this module too, and should start without torch.
        from redraft.lab.train.training_run import train

        return train(config, minutes=options.minutes, resume=options.resume).exit_code

    return run_command(run)


if __name__ == "__main__":
    sys.exit(main())
