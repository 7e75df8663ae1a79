"""Share of the time in which the workers of a simulated cluster are busy.

Ray really runs, with several nodes on this machine, and files are really read, cut, sent, put together and written.
Only the model is simulated: a worker sleeps for each text as long as a model would take, so that more workers can be
tried than this machine has cores.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from redraft.check.options import CheckOptions
from redraft.check.session import CheckResult, CheckSession, Text
from redraft.errors import ConfigError, RedraftError
from redraft.files.bulk import Bulk
from redraft.files.cluster import Cluster, open_cluster
from redraft.files.destination import Destination
from redraft.files.journal import JOURNAL, Journal
from redraft.files.reviewer import FileReader
from redraft.lab.bench.long_files import write_text
from redraft.settings.options import ModelOptions, TextOptions
from redraft.settings.project import Project, SessionSetup
from redraft.terminal.progress import Bar

SPEED = 8000.0
"""Characters a second: about 80 sentences, as one thread corrects."""
_SHORT_FILES = 20
_LONG_SHARE = 0.6
"""Share of all text that is in one long file."""


@dataclass(frozen=True, slots=True)
class ClusterLoad:
    workers: int
    texts: int
    seconds: float
    """From the first worker that was ready to the last text that was written."""
    busy: float
    """Share of the time of the workers, from when they are ready, in which they check texts."""
    waiting: tuple[float, float, float]
    """Shares in which they wait: for the first text, between two texts, and behind the last one."""


class SimulatedSession:
    """Takes the time of a model, finds nothing, and writes down when it was busy."""

    def __init__(self, speed: float, log: Path) -> None:
        self._speed = speed
        self._log = log / f"{os.getpid()}.jsonl"
        self._note(time.time(), time.time())

    def check_many(self, texts: Iterable[Text]) -> Iterator[CheckResult]:
        for text in texts:
            begun = time.time()
            time.sleep(len(text.source) / self._speed)
            self._note(begun, time.time())
            yield CheckResult(text.source, ())

    def _note(self, begun: float, ended: float) -> None:
        with self._log.open("a", encoding="ascii") as file:
            file.write(f"{json.dumps([begun, ended])}\n")


@dataclass(frozen=True)
class SimulatedSetup(SessionSetup):
    speed: float
    log: Path

    def open(self) -> CheckSession:
        session: Any = SimulatedSession(self.speed, self.log)
        return session  # type: ignore[no-any-return]


def run(nodes: int, workers: int, seconds: float, speed: float = SPEED, group_characters: int = 0) -> ClusterLoad:
    """Corrects files on a simulated cluster; each worker of each node gets `seconds` of work."""
    with TemporaryDirectory() as name, _nodes(nodes, workers):
        folder, log = Path(name) / "texts", Path(name) / "log"
        folder.mkdir()
        log.mkdir()
        size = int(nodes * workers * seconds * speed)
        write_text(folder / "long.txt", int(size * _LONG_SHARE))
        for number in range(_SHORT_FILES):
            write_text(folder / f"{number}.txt", int(size * (1 - _LONG_SHARE) / _SHORT_FILES))
        setup = SimulatedSetup(ModelOptions(threads=1), CheckOptions(), speed, log)
        _correct(folder, Path(name) / "corrected", setup, group_characters)
        return _summarize(log, time.time())


def _correct(folder: Path, output: Path, setup: SessionSetup, group_characters: int = 0) -> None:
    project = Project.open(TextOptions(isolated=True), [folder])
    reader = FileReader(project)

    @contextmanager
    def opening() -> Iterator[Cluster[Any]]:
        with open_cluster(setup, group_characters=group_characters) as cluster:
            yield cluster

    with Journal(output / JOURNAL) as journal:
        bulk = Bulk(project, reader, journal, Destination(folder, output), "simulated")
        bulk.correct(reader.select([folder]), opening, Bar())
    if reader.failed or bulk.deaths:
        raise RedraftError("a worker or a file failed; run this again")


def _summarize(log: Path, ended: float) -> ClusterLoad:
    notes = [[json.loads(line) for line in path.read_text().splitlines()] for path in log.iterdir()]
    notes = [[*note, [ended, ended]] for note in notes]
    ready = [note[0][0] for note in notes]
    time_of_all = sum(ended - since for since in ready)
    busy = sum(stop - start for note in notes for start, stop in note)
    pauses = [[after[0] - before[1] for before, after in pairwise(note)] for note in notes]
    waiting = (
        sum(pause[0] for pause in pauses),
        sum(sum(pause[1:-1]) for pause in pauses),
        sum(pause[-1] for pause in pauses if len(pause) > 1),
    )
    first, between, last = (round(seconds / time_of_all, 4) for seconds in waiting)
    return ClusterLoad(
        len(notes),
        sum(len(note) - 2 for note in notes),
        round(ended - min(ready), 2),
        round(busy / time_of_all, 4),
        (first, between, last),
    )


@contextmanager
def _nodes(nodes: int, workers: int) -> Iterator[None]:
    """Starts Ray nodes on this machine and connects to them."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # read when ray is imported
    # Ray's workers have a low priority. Here they need the processor only for moments, and must not wait for it.
    os.environ.setdefault("RAY_worker_niceness", "0")
    try:
        import ray
        from ray.cluster_utils import Cluster as RayCluster
    except ImportError:
        raise ConfigError("this measurement needs the ray package; install the extra 'ray' of redraft") from None
    node = {"num_cpus": workers, "object_store_memory": 1 << 27, "include_dashboard": False}
    cluster = RayCluster(initialize_head=True, head_node_args=node)
    try:
        for _ in range(nodes - 1):
            cluster.add_node(**node)
        ray.init(cluster.address, log_to_driver=False, logging_level=logging.ERROR)
        try:
            yield
        finally:
            ray.shutdown()
    finally:
        cluster.shutdown()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m redraft.lab.bench.cluster_load", description=__doc__)
    parser.add_argument("--nodes", type=int, default=2, help="simulated machines (default 2)")
    parser.add_argument("--workers", type=int, default=4, help="workers of each (default 4)")
    parser.add_argument("--seconds", type=float, default=60, help="seconds of work for each worker (default 60)")
    parser.add_argument("--speed", type=float, default=SPEED, help="characters a second of a worker (default 8000)")
    parser.add_argument("--group", type=int, default=0, help="characters in a call, as on a GPU (default one text)")
    arguments = parser.parse_args()
    try:
        found = run(arguments.nodes, arguments.workers, arguments.seconds, arguments.speed, arguments.group)
    except RedraftError as error:
        sys.exit(f"redraft: {error}")
    names = ("busy", "before", "between", "after the texts")
    sys.stdout.write(
        f"{'workers':>8}{'texts':>8}{'seconds':>9}{''.join(f'{name:>{len(name) + 3}}' for name in names)}\n"
    )
    shares = zip(names, (found.busy, *found.waiting), strict=True)
    figures = "".join(f"{share:>{len(name) + 3}.1%}" for name, share in shares)
    sys.stdout.write(f"{found.workers:>8}{found.texts:>8}{found.seconds:>9.1f}{figures}\n")


if __name__ == "__main__":
    main()
