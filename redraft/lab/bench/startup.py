"""Start-up: time from the start of a process to its first correction, and the memory it takes."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from redraft.errors import RedraftError
from redraft.lab.bench.machine import resident_megabytes

ROUNDS = 3
SENTENCE = "She go to school every days."


@dataclass(frozen=True, slots=True)
class Startup:
    seconds: float
    """From the start of Python to the first correction; the median of three."""
    megabytes: float
    """Peak memory by then."""

    def to_mapping(self) -> dict[str, Any]:
        return asdict(self)


def measure(**options: Any) -> Startup:
    """Measures a process that corrects one sentence; `options` are those of `redraft.load`."""
    found = [_measure_once(json.dumps(options)) for _ in range(ROUNDS)]
    return Startup(round(median(one.seconds for one in found), 3), max(one.megabytes for one in found))


def _measure_once(options: str) -> Startup:
    start = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "redraft.lab.bench.startup", options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    answer = process.stdout.readline()
    seconds = time.perf_counter() - start
    _, errors = process.communicate()
    if process.returncode or not answer:
        reason = (errors.strip() or "it wrote no message").splitlines()[-1]
        raise RedraftError(f"a new process could not correct a sentence: {reason}")
    return Startup(seconds, float(answer))


def main() -> None:
    from redraft.check.loading import load

    load(**json.loads(sys.argv[1])).correct(SENTENCE)
    sys.stdout.write(f"{resident_megabytes()}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
