"""`python -m redraft.lab.train`: the same as `redraft train`, without the packages of the command line."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from redraft.errors import RedraftError
from redraft.lab.train.config import read


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m redraft.lab.train", description="Train a model as a config file says."
    )
    parser.add_argument("config", type=Path, help="the TOML file")
    parser.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", dest="changes", help="change one setting"
    )
    parser.add_argument("--minutes", type=float, help="save and stop after so many minutes")
    parser.add_argument("--resume", action="store_true", help="go on from the last checkpoint, if there is one")
    options = parser.parse_args(arguments)
    try:
        config = read(options.config, options.changes)
        # Imported here, so that worker processes, which import this module again, start without torch.
        from redraft.lab.train.stages import train

        return train(config, minutes=options.minutes, resume=options.resume).exit_code
    except RedraftError as error:
        print(f"error: {error}", file=sys.stderr)  # noqa: T201
        return 2


if __name__ == "__main__":
    sys.exit(main())
