"""`python -m redraft.lab.tagger.correct FOLDER FILE`: corrects the lines of a file and reports time and passes."""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

from redraft.lab.data.readers import Faults, read_sentences
from redraft.lab.tagger.correcting import Tagger
from redraft.lab.tagger.folder import TaggerFolder
from redraft.lab.train.module_command import run_command


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m redraft.lab.tagger.correct",
        description="Correct the lines of a file, one sentence each. Time and passes go to standard error.",
    )
    parser.add_argument("folder", type=Path, help="folder of a tagger with an 8-bit encoder")
    parser.add_argument("file", type=Path, help="text file with one sentence per line")
    parser.add_argument("--threads", type=int, default=0, help="threads; default one for each usable core")
    parser.add_argument("--passes", type=int, help="most passes; default that of the folder")
    parser.add_argument("--min-probability", type=float, help="least probability of a tag; default that of the folder")
    parser.add_argument(
        "--min-error-probability", type=float, help="least error probability of a sentence; default that of the folder"
    )
    parser.add_argument("--one-by-one", action="store_true", help="correct each line by itself, without batches")
    options = parser.parse_args(arguments)

    def run() -> int:
        given = {
            "max_passes": options.passes,
            "min_probability": options.min_probability,
            "min_error_probability": options.min_error_probability,
        }
        changes = {name: value for name, value in given.items() if value is not None}
        defaults = TaggerFolder.open(options.folder).options
        tagger = Tagger.open(options.folder, options.threads, replace(defaults, **changes))
        lines = list(read_sentences(options.file, Faults()))
        started = time.monotonic()
        parts = ([line] for line in lines) if options.one_by_one else [lines]
        found = [result for part in parts for result in tagger.correct(part)]
        seconds = time.monotonic() - started
        sys.stdout.writelines(f"{result.text}\n" for result in found)
        passes = Counter(result.passes for result in found)
        counts = ", ".join(f"{count} in {number} passes" for number, count in sorted(passes.items()))
        sys.stderr.write(f"{len(lines)} sentences in {seconds:.2f} s: {counts}\n")
        return 0

    return run_command(run)


if __name__ == "__main__":
    sys.exit(main())
