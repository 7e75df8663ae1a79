"""Workers on a Ray cluster, each with a model of its own. One that dies is replaced, and its texts go to another."""

from __future__ import annotations

import logging
import os
import re
import socket
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from textwrap import shorten
from typing import Any, Generic, TypeVar

from redraft.check.session import CheckSession, Text
from redraft.edits.edit import Edit
from redraft.errors import ConfigError, RedraftError
from redraft.settings.project import SessionSetup
from redraft.terminal.output import remark
from redraft.text.scripts import AUTO

ADDRESS = "RAY_ADDRESS"
"""Names the cluster, as for every program that uses Ray; without it one is started on this machine."""
_IN_HAND = 2
"""Texts that a worker has: one it reads, and one to go on with at once."""
_TRIES = 3
"""So many workers may die of a text before it is given up."""
_PATIENCE = 30.0
"""Seconds without a worker after which a person is told what the matter is."""
_LONGEST_REASON = 200
_OBJECT_MEMORY = 1 << 28
"""For texts on their way. Ray would set a third of the machine aside."""
_HOST_AND_PORT = re.compile(r"(?:\w+://)?\[?(?P<host>[^/\]]+)\]?:(?P<port>\d+)")

Key = TypeVar("Key")


@dataclass(frozen=True, slots=True)
class Task(Generic[Key]):
    key: Key
    """Whatever tells its answer from others; it stays here."""
    text: Text


@dataclass(frozen=True, slots=True)
class Answer(Generic[Key]):
    key: Key
    edits: tuple[Edit, ...] = ()
    failure: str | None = None


class Worker:
    """Runs in a process of the cluster."""

    _session: CheckSession

    def start(self, setup: SessionSetup) -> int:
        # Not in the constructor: an error there would come back as another one.
        self._session = setup.open()
        return os.getpid()

    def review(self, text: Text) -> tuple[Edit, ...]:
        return next(self._session.check_many([text])).edits


@dataclass(slots=True, eq=False)
class _Trial(Generic[Key]):
    task: Task[Key]
    deaths: int = 0


@dataclass(slots=True, eq=False)
class _Hired(Generic[Key]):
    """What is known here of a worker."""

    actor: Any
    pid: int | None = None
    """None until it has its model. Ray may still be looking for a place for it, so it gets no text before."""
    trials: list[_Trial[Key]] = field(default_factory=list)
    """In the order in which it works on them."""


@dataclass(frozen=True, slots=True)
class _Promise(Generic[Key]):
    worker: _Hired[Key]
    trial: _Trial[Key] | None = None
    """None where it is to start."""


class Cluster(Generic[Key]):
    """Reviews texts, side by side. Use `open_cluster` to get one."""

    def __init__(self, ray: Any, actor_class: Any, setup: SessionSetup, limit: int) -> None:
        self._ray = ray
        self._actor_class = actor_class
        self._setup = setup
        self._limit = limit
        self._hired: list[_Hired[Key]] = []
        self._promised: dict[Any, _Promise[Key]] = {}
        """What Ray will answer."""
        self._waiting: deque[_Trial[Key]] = deque()
        self._deaths_in_a_row = 0
        self.deaths = 0

    @property
    def pids(self) -> list[int]:
        """The processes at work; on this machine, if Ray has no other."""
        return [worker.pid for worker in self._hired if worker.pid is not None]

    def review(self, tasks: Iterable[Task[Key]]) -> Iterator[Answer[Key]]:
        """Each task has one answer, in no order. No more tasks are taken than there is room for with the workers."""
        coming = iter(tasks)
        is_told = False
        while True:
            self._hand_out(coming)
            # Workers that Ray has found no place for yet may never come, and need not.
            if not (self._waiting or any(worker.trials for worker in self._hired)):
                return
            done, _ = self._ray.wait(list(self._promised), timeout=_PATIENCE)
            for reference in done:
                yield from self._receive(reference)
            if not (done or self.pids or is_told):
                remark("waiting for the cluster to have room for a worker")
                is_told = True

    def dismiss(self) -> None:
        for worker in self._hired:
            self._kill(worker)
        self._hired.clear()
        self._promised.clear()

    def _hand_out(self, coming: Iterator[Task[Key]]) -> None:
        while (worker := self._freest()) and self._fetch(coming, 1):
            trial = self._waiting.popleft()
            worker.trials.append(trial)
            self._promised[worker.actor.review.remote(trial.task.text)] = _Promise(worker, trial)
        starting = len(self._hired) - len(self.pids)
        vacant = self._limit - len(self._hired)
        for _ in range(min(vacant, self._fetch(coming, starting + vacant) - starting)):
            worker = _Hired[Key](self._actor_class.remote())
            self._hired.append(worker)
            self._promised[worker.actor.start.remote(self._setup)] = _Promise(worker)

    def _freest(self) -> _Hired[Key] | None:
        free = [worker for worker in self._hired if worker.pid is not None and len(worker.trials) < _IN_HAND]
        return min(free, key=lambda worker: len(worker.trials), default=None)

    def _fetch(self, coming: Iterator[Task[Key]], wanted: int) -> int:
        """How many tasks wait; so many as wanted, if there are."""
        while len(self._waiting) < wanted and (task := next(coming, None)):
            self._waiting.append(_Trial(task))
        return len(self._waiting)

    def _receive(self, reference: Any) -> Iterator[Answer[Key]]:
        from ray.exceptions import RayError, RayTaskError

        promise = self._promised.pop(reference)
        worker, trial = promise.worker, promise.trial
        failure = result = None
        try:
            result = self._ray.get(reference)
        except RayTaskError as error:
            if trial is None:
                raise _explain(error) from None
            failure = f"a worker failed ({type(error.cause).__name__})"  # and no more: the error may repeat the text
        except RayError as error:
            yield from self._replace(worker, error)
            return
        if trial is None:
            worker.pid = result
            return
        worker.trials.remove(trial)
        self._deaths_in_a_row = 0
        yield Answer(trial.task.key, result or (), failure)

    def _replace(self, worker: _Hired[Key], error: Exception) -> Iterator[Answer[Key]]:
        """Another is hired when there is something for it to do."""
        self._kill(worker)
        self._hired.remove(worker)
        self._promised = {
            reference: promise for reference, promise in self._promised.items() if promise.worker is not worker
        }
        self.deaths += 1
        self._deaths_in_a_row += 1
        if self._deaths_in_a_row > self._limit + _TRIES:
            reason = shorten(str(error).strip().splitlines()[-1], _LONGEST_REASON)
            raise ConfigError(f"worker after worker dies ({reason}); mend that, or use fewer, and run this again")
        if worker.trials:
            # Only what it was at can have been the cause.
            worker.trials[0].deaths += 1
            if worker.trials[0].deaths == _TRIES:
                key = worker.trials.pop(0).task.key
                yield Answer(key, failure=f"{_TRIES} workers died over it, most likely for want of memory")
        self._waiting.extendleft(reversed(worker.trials))

    def _kill(self, worker: _Hired[Key]) -> None:
        with suppress(Exception):  # it may be dead already, and the cluster with it
            self._ray.kill(worker.actor)


@contextmanager
def open_cluster(setup: SessionSetup, workers: int | None = None) -> Iterator[Cluster[Any]]:
    """Up to so many workers; as many as the cluster has processors for, or GPUs, if left out."""
    setup = _prepare(setup)
    # Nothing is to be written here. Ray tells of every worker that dies, at length; a line of ours does.
    with Path(os.devnull).open("w") as nowhere, redirect_stdout(nowhere), _connect(setup, workers) as ray:
        cores, gpus = setup.model.threads or 1, int(setup.model.engine == "cuda")
        room = ray.cluster_resources()
        limit = workers or int(room.get("GPU", 0) if gpus else room.get("CPU", 0) // cores)
        if not limit:
            raise ConfigError(f"the cluster has no {'GPU' if gpus else 'processor'} to spare; name how many --workers")
        actor_class = ray.remote(Worker).options(num_cpus=cores, num_gpus=gpus, max_restarts=0)
        cluster = Cluster[Any](ray, actor_class, setup, limit)
        try:
            yield cluster
        finally:
            cluster.dismiss()


def _prepare(setup: SessionSetup) -> SessionSetup:
    """As other machines can use it, which have the same software and see the same model folders, but no home."""
    from redraft.model.catalogue import installed

    model = replace(setup.model, threads=setup.model.threads or 1)
    if model.model and model.model not in (AUTO, *installed()):  # a name goes before a folder that is called so
        model = replace(model, model=str(Path(model.model).resolve()))
    return SessionSetup(model, replace(setup.options, rules=setup.options.rules.current()))


@contextmanager
def _connect(setup: SessionSetup, workers: int | None) -> Iterator[Any]:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # read when ray is imported
    try:
        import ray
    except ImportError:
        raise ConfigError("engine ray needs the ray package; install the extra 'ray' of redraft") from None
    if ray.is_initialized():
        yield ray
        return
    address = os.environ.get(ADDRESS)
    cores = max(os.cpu_count() or 1, (workers or 1) * (setup.model.threads or 1))
    own = {"num_cpus": cores, "include_dashboard": False, "object_store_memory": _OBJECT_MEMORY}
    if address:
        _call(address)
    try:
        ray.init(address or "local", log_to_driver=False, logging_level=logging.ERROR, **({} if address else own))
    except (OSError, RuntimeError, ValueError, ray.exceptions.RayError) as error:
        where = f"at {ADDRESS}={address}" if address else "on this machine"
        raise ConfigError(f"no Ray cluster {where}: {str(error).strip().splitlines()[0]}") from None
    try:
        yield ray
    finally:
        ray.shutdown()


def _call(address: str) -> None:
    """Ray itself goes on calling for minutes where nobody answers."""
    place = _HOST_AND_PORT.fullmatch(address)
    if place is None:  # such as "auto"
        return
    try:
        socket.create_connection((place["host"], int(place["port"])), _PATIENCE).close()
    except (OSError, OverflowError) as error:
        raise ConfigError(f"no Ray cluster at {ADDRESS}={address}: {error}") from None


def _explain(error: Any) -> RedraftError:
    """Why a worker could not start, in the words of whoever found out."""
    cause = error.cause
    if isinstance(cause, RedraftError):
        return cause
    return ConfigError(f"a worker could not start: {type(cause).__name__}: {str(cause).strip().splitlines()[-1]}")
