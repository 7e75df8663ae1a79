"""`python -m redraft.lab.train`: the same as `redraft train`, with argparse instead of typer.

GPU machines often have torch, numpy, tokenizers and safetensors alone, without the packages of the command line, and
torchrun starts modules, not commands.
"""

from __future__ import annotations

import sys

from redraft.lab.train.module_command import Train, train_command


def _find_train() -> Train:
    from redraft.lab.train.training_run import train

    return train


def main(arguments: list[str] | None = None) -> int:
    return train_command("python -m redraft.lab.train", "Train a model from a config file.", _find_train, arguments)


if __name__ == "__main__":
    sys.exit(main())
