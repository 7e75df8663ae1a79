"""Runs targets on random inputs, and collects the inputs that fail.

The inputs of a target depend only on the seed and on their number, so that a run can be repeated.
"""

from __future__ import annotations

import hashlib
import random
import signal
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

MOST_SECONDS = 10
"""Processor time for one input. Inputs are small: one that takes longer makes the work grow faster than the input."""


class TooSlowError(Exception):
    """An input took more than `MOST_SECONDS`."""


@dataclass(frozen=True)
class Target:
    """Something to test. An input that breaks a promise makes `check` raise an exception."""

    name: str
    check: Callable[[str], object]
    make: Callable[[random.Random], str]
    seeds: Sequence[str] = ()
    """Inputs that are always tried first: failures that were found before, and hostile ones."""

    def input(self, seed: int, number: int) -> str:
        if number < len(self.seeds):
            return self.seeds[number]
        return self.make(random.Random(f"{seed} {self.name} {number}"))


@dataclass(frozen=True)
class Failure:
    """An input that failed, and the place and type of the error."""

    target: str
    input: str
    error: str

    def save(self, folder: Path) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        data = self.input.encode("utf-8", "surrogatepass")
        path = folder / f"{self.target}-{hashlib.sha256(data).hexdigest()[:12]}.txt"
        path.write_bytes(data)
        return path


@dataclass
class Report:
    target: str
    inputs: int = 0
    seconds: float = 0.0
    failures: dict[str, Failure] = field(default_factory=dict)
    """The shortest failing input for each kind of error."""
    failed: int = 0

    @property
    def line(self) -> str:
        rate = self.inputs / self.seconds if self.seconds else 0.0
        return f"{self.target:<12}{self.inputs:>9,} inputs{rate:>10,.0f} a second{self.failed:>7,} failed"


def run(target: Target, seed: int, seconds: float, most_inputs: int | None = None) -> Report:
    """Tries inputs for a time, or up to a number of them; the seeds are tried in any case."""
    report = Report(target.name)
    start = time.monotonic()
    number = 0
    while number < len(target.seeds) or (
        time.monotonic() - start < seconds and (most_inputs is None or number < most_inputs)
    ):
        text = target.input(seed, number)
        number += 1
        failure = try_input(target, text)
        if failure:
            report.failed += 1
            known = report.failures.get(failure.error)
            if known is None or len(text) < len(known.input):
                report.failures[failure.error] = failure
    report.inputs, report.seconds = number, time.monotonic() - start
    return report


def try_input(target: Target, text: str) -> Failure | None:
    try:
        with limited_time():
            target.check(text)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        return Failure(target.name, text, describe(error))
    return None


def describe(error: BaseException) -> str:
    """The type of an error and where in the product it was raised, the same for all inputs with this error."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if "/redraft/" in frame.filename] or frames[-1:]
    place = f"{Path(own[-1].filename).name}:{own[-1].lineno}" if own else ""
    reason = f": {str(error).splitlines()[0][:120]}" if isinstance(error, AssertionError) and str(error) else ""
    return f"{type(error).__name__} at {place}{reason}"


@contextmanager
def limited_time() -> Iterator[None]:
    """Interrupts the block after `MOST_SECONDS` of processor time, where the system can."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return

    def interrupt(number: int, frame: object) -> None:
        raise TooSlowError

    before = signal.signal(signal.SIGPROF, interrupt)
    signal.setitimer(signal.ITIMER_PROF, MOST_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
