"""Time and peak memory of `redraft fix --output` on plain texts of several lengths.

The texts repeat a few sentences, most of them correct, so that the cache answers: what is measured is reading, cutting
and writing, not the model.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from redraft.errors import RedraftError

MEGABYTES = (1.0, 10.0, 50.0)
_RIGHT = (
    "She goes to school every day.",
    "We meet on Monday in the old house by the river.",
    "He is a teacher in our town.",
    "They were late for the train because it rained.",
    "I agree with you, and so does my friend.",
    "My friend likes music and tea.",
)
_WRONG = "She go to school every days."
_SENTENCES = (*_RIGHT * 3, _WRONG)
_PARAGRAPH = 8
"""Sentences in a paragraph."""
_MAIN = "from redraft.cli.main import main; main()"


@dataclass(frozen=True, slots=True)
class LongFile:
    megabytes: float
    seconds: float
    peak_megabytes: float
    """Largest resident memory of the process."""


def run(sizes: Sequence[float], options: Sequence[str] = ()) -> list[LongFile]:
    """Corrects a text of each size, in megabytes, in a process of its own. `options` are those of `redraft fix`."""
    with TemporaryDirectory() as name:
        return [_measure(Path(name), size, options) for size in sizes]


def write_text(path: Path, size: int) -> None:
    """A text of at least `size` bytes."""
    choice = random.Random(0)
    with path.open("w", encoding="utf-8") as file:
        while file.tell() < size:
            file.write(" ".join(choice.choices(_SENTENCES, k=_PARAGRAPH)) + "\n\n")


def _measure(folder: Path, size: float, options: Sequence[str]) -> LongFile:
    source = folder / "text.txt"
    write_text(source, int(size * 1e6))
    command = [sys.executable, "-c", _MAIN, "fix", str(source), "--output", str(folder / "corrected"), *options]
    begun = time.perf_counter()
    process = subprocess.Popen(command, stderr=subprocess.PIPE)
    assert process.stderr is not None
    message = process.stderr.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - begun
    if process.returncode:
        raise RedraftError(f"redraft fix failed: {message.strip()}")
    peak = usage.ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)
    return LongFile(size, round(seconds, 1), round(peak, 1))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m redraft.lab.bench.long_files", description=__doc__)
    parser.add_argument("sizes", type=float, nargs="*", metavar="MEGABYTES", help="sizes of texts (default 1 10 50)")
    parser.add_argument("--model", default="en", help="shipped model or model folder (default en)")
    arguments = parser.parse_args()
    sys.stdout.write(f"{'text':>8}{'seconds':>10}{'peak memory':>14}\n")
    for size in arguments.sizes or MEGABYTES:
        try:
            (found,) = run([size], ["--model", arguments.model])
        except RedraftError as error:
            sys.exit(f"redraft: {error}")
        sys.stdout.write(f"{f'{size:g} MB':>8}{found.seconds:>10,.1f}{f'{found.peak_megabytes:,.0f} MB':>14}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
