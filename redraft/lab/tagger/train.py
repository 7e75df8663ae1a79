"""`python -m redraft.lab.tagger.train CONFIG.toml`: trains a tagger, with the data and the loop of a corrector.

The config has a table `[tagger]`. The model folder of the run is a tagger's folder (folder.py).
"""

from __future__ import annotations

import sys

from redraft.lab.train.module_command import Train, train_command


def _find_train() -> Train:
    from redraft.lab.tagger.training_run import train_tagger

    return train_tagger


def main(arguments: list[str] | None = None) -> int:
    name = "python -m redraft.lab.tagger.train"
    return train_command(name, "Train a tagger from a config file.", _find_train, arguments)


if __name__ == "__main__":
    sys.exit(main())
