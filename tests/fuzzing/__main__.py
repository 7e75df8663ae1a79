"""`scripts/fuzz SECONDS`: runs every target for an equal share of the time."""

from __future__ import annotations

import argparse
import logging
import os
import resource
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from fuzzing.folders import FolderTarget
from fuzzing.messages import open_messages
from fuzzing.parsers import open_parsers
from fuzzing.requests import open_requests
from fuzzing.runner import Report, Target, run, try_input
from fuzzing.texts import open_texts

NAMES = (
    *("settings", "json", "tags", "gitignore", "m2", "markup", "annotations", "corrector", "session", "folder", "http"),
    "lsp",
)
"""Of all targets, in their order."""
_MOST_MEMORY = 6 << 30
"""Bytes of address space: an input that needs more fails with a MemoryError."""


@contextmanager
def open_targets(names: list[str] | None = None) -> Iterator[list[Target]]:
    """All targets, or those of the given names. Their files are in a temporary folder."""
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        (folder / "project").mkdir()
        targets = [
            *open_parsers(folder / "project"),
            *open_texts(folder),
            FolderTarget(folder).target(),
            stack.enter_context(open_requests(folder / "server")),
            stack.enter_context(open_messages(folder / "editor")),
        ]
        yield [target for target in targets if not names or target.name in names]


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/fuzz", description=__doc__)
    parser.add_argument("seconds", type=float, nargs="?", default=60.0, help="Time for all targets. Default: 60.")
    parser.add_argument("--seed", type=int, default=1, help="Number that all inputs depend on. Default: 1.")
    parser.add_argument("--target", action="append", help="Name of a target; repeatable. Default: all.")
    parser.add_argument("--output", type=Path, default=Path("fuzz-failures"), help="Folder for inputs that fail.")
    parser.add_argument("--replay", type=Path, nargs="+", metavar="FILE", help="Try these files of the folder again.")
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    logging.disable(logging.CRITICAL)
    unknown = set(options.target or ()) - set(NAMES)
    if unknown:
        parser.error(f"there is no target {', '.join(unknown)}; there are {', '.join(NAMES)}")
    with tempfile.TemporaryDirectory() as home, open_targets(options.target) as targets:
        os.environ["REDRAFT_HOME"] = home
        if options.replay:
            return _replay(targets, options.replay)
        reports = []
        for target in targets:
            reports.append(run(target, options.seed, options.seconds / len(targets)))
            _print(reports[-1], options.output)
    total, failed = sum(report.inputs for report in reports), sum(report.failed for report in reports)
    sys.stdout.write(f"{'all':<12}{total:>9,} inputs{'':>19}{failed:>7,} failed; seed {options.seed}\n")
    return 1 if failed else 0


def _print(report: Report, output: Path) -> None:
    sys.stdout.write(f"{report.line}\n")
    for failure in report.failures.values():
        sys.stdout.write(f"  {failure.error}: {failure.save(output)}\n")
    sys.stdout.flush()


def _replay(targets: list[Target], paths: list[Path]) -> int:
    failed = 0
    for path in paths:
        name = path.name.rpartition("-")[0]
        target = next((target for target in targets if target.name == name), None)
        if target is None:
            sys.stderr.write(
                f"{path} is not an input of a target; its name must begin with one of "
                f"{', '.join(target.name for target in targets)}\n"
            )
            return 2
        failure = try_input(target, path.read_bytes().decode("utf-8", "surrogatepass"))
        sys.stdout.write(f"{path}: {failure.error if failure else 'passes'}\n")
        failed += bool(failure)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
