"""`python -m redraft.lab.tagger.quantize FOLDER NEW`: writes a tagger with an encoder in 8-bit integers."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from redraft.lab.tagger.folder import TaggerFolder, quantize_tagger
from redraft.lab.train.module_command import run_command


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m redraft.lab.tagger.quantize", description="Write a tagger that the native engine runs."
    )
    parser.add_argument("folder", type=Path, help="folder of a trained tagger")
    parser.add_argument("new", type=Path, help="new folder to write")
    options = parser.parse_args(arguments)

    def run() -> int:
        quantize_tagger(TaggerFolder.open(options.folder), options.new)
        return 0

    return run_command(run)


if __name__ == "__main__":
    sys.exit(main())
