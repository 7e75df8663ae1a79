"""Checks texts with workers on a Ray cluster, each with its own model. A worker that dies is replaced."""

from __future__ import annotations

import logging
import math
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

from redraft.check.session import BULK_CHARACTERS, CheckSession, Text, text_cost
from redraft.edits.edit import Edit
from redraft.errors import ConfigError, RedraftError
from redraft.settings.project import SessionSetup
from redraft.terminal.output import remark
from redraft.text.scripts import AUTO

ADDRESS = "RAY_ADDRESS"
"""Names the cluster, as for every program that uses Ray; without it one is started on this machine."""
_IN_HAND = 2
"""Calls that a worker has at a time: the one it works on, and the next one."""
_TRIES = 3
"""Number of workers that may die at a text before it is given up."""
_PATIENCE = 30.0
"""Seconds without a worker after which a message is shown."""
_LONGEST_REASON = 200
_OBJECT_MEMORY = 1 << 28
"""Bytes for texts in transit. Ray would reserve a third of the machine's memory."""
_SHORT_TEXT = 1 << 9
"""Characters that a shorter text counts in a group, so that groups are not made of thousands of small files."""
_GPU_UNITS = 10_000
"""The parts into which Ray can divide a GPU."""
_HOST_AND_PORT = re.compile(r"(?:\w+://)?\[?(?P<host>[^/\]]+)\]?:(?P<port>\d+)")

Key = TypeVar("Key")


@dataclass(frozen=True, slots=True)
class Task(Generic[Key]):
    key: Key
    """Identifies the answer; it is not sent to workers."""
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

    def review(self, texts: list[Text]) -> list[tuple[Edit, ...]]:
        return [result.edits for result in self._session.check_many(texts)]


@dataclass(slots=True, eq=False)
class _Trial(Generic[Key]):
    task: Task[Key]
    deaths: int = 0
    is_suspect: bool = False
    """Whether a worker died that had it, or a call failed that had others too.

    From then on it is checked in a call of its own, by a worker that has nothing else.
    """


@dataclass(slots=True, eq=False)
class _Hired(Generic[Key]):
    """A worker, as the cluster sees it."""

    actor: Any
    pid: int | None = None
    """None until its model is loaded: Ray may still be looking for a free processor, so it gets no text before."""
    groups: list[list[_Trial[Key]]] = field(default_factory=list)
    """Its texts, one group for each call, in the order in which it works on them."""

    @property
    def has_suspect(self) -> bool:
        return any(group[0].is_suspect for group in self.groups)


@dataclass(frozen=True, slots=True)
class _Promise(Generic[Key]):
    worker: _Hired[Key]
    group: list[_Trial[Key]] | None = None
    """None for the call that starts the worker."""


class Cluster(Generic[Key]):
    """Checks texts in parallel. Made by `open_cluster`.

    A worker gets texts of up to `group_characters` together in one call, or one text if that is 0. Groups are smaller
    where fewer texts wait than would fill all calls of all workers, so that the last texts are shared by all workers.
    """

    def __init__(self, ray: Any, actor_class: Any, setup: SessionSetup, limit: int, group_characters: int) -> None:
        self._ray = ray
        self._actor_class = actor_class
        self._setup = setup
        self._limit = limit
        self._group_characters = group_characters
        self._hired: list[_Hired[Key]] = []
        self._promised: dict[Any, _Promise[Key]] = {}
        """The calls that Ray has not answered yet."""
        self._waiting: deque[_Trial[Key]] = deque()
        self._deaths_in_a_row = 0
        self.deaths = 0

    @property
    def pids(self) -> list[int]:
        """The processes of the workers that are ready."""
        return [worker.pid for worker in self._hired if worker.pid is not None]

    def review(self, tasks: Iterable[Task[Key]]) -> Iterator[Answer[Key]]:
        """One answer for each task, in any order. Tasks are taken only as workers become free.

        With groups, as many more wait as workers may have.
        """
        coming = iter(tasks)
        is_told = False
        while True:
            self._hand_out(coming)
            # Workers for which Ray has found no processor yet are not waited for.
            if not (self._waiting or any(worker.groups for worker in self._hired)):
                return
            done, _ = self._ray.wait(list(self._promised), timeout=_PATIENCE)
            for reference in done:
                yield from self._receive(reference)
            if not (done or self.pids or is_told):
                remark("waiting for a free processor of the cluster")
                is_told = True

    def dismiss(self) -> None:
        for worker in self._hired:
            self._kill(worker)
        self._hired.clear()
        self._promised.clear()

    def _hand_out(self, coming: Iterator[Task[Key]]) -> None:
        while (worker := self._freest()) and self._fetch(coming, 1):
            if self._waiting[0].is_suspect and worker.groups:
                break
            group = self._take_group()
            worker.groups.append(group)
            call = worker.actor.review.remote([trial.task.text for trial in group])
            self._promised[call] = _Promise(worker, group)
            self._read_ahead(coming)
        starting = len(self._hired) - len(self.pids)
        vacant = self._limit - len(self._hired)
        for _ in range(min(vacant, self._fetch(coming, starting + vacant) - starting)):
            worker = _Hired[Key](self._actor_class.remote())
            self._hired.append(worker)
            self._promised[worker.actor.start.remote(self._setup)] = _Promise(worker)
        self._read_ahead(coming)

    def _freest(self) -> _Hired[Key] | None:
        free = [
            worker
            for worker in self._hired
            if worker.pid is not None and len(worker.groups) < _IN_HAND and not worker.has_suspect
        ]
        return min(free, key=lambda worker: len(worker.groups), default=None)

    def _fetch(self, coming: Iterator[Task[Key]], wanted: int) -> int:
        """Takes tasks until `wanted` of them wait, and returns how many do."""
        while len(self._waiting) < wanted and (task := next(coming, None)):
            self._waiting.append(_Trial(task))
        return len(self._waiting)

    def _read_ahead(self, coming: Iterator[Task[Key]]) -> None:
        """Takes tasks until those that wait would fill all calls of all workers."""
        missing = self._group_characters * self._limit * _IN_HAND - self._waiting_cost()
        while missing > 0 and (task := next(coming, None)):
            self._waiting.append(_Trial(task))
            missing -= _cost(task)

    def _take_group(self) -> list[_Trial[Key]]:
        """The first of the texts that wait, as many as make up a call's share of them; a suspect alone."""
        room = min(self._group_characters, self._waiting_cost() // (self._limit * _IN_HAND))
        group = [self._waiting.popleft()]
        room -= _cost(group[0].task)
        while self._waiting and not group[0].is_suspect:  # suspects are put back before all others
            room -= _cost(self._waiting[0].task)
            if room < 0:
                break
            group.append(self._waiting.popleft())
        return group

    def _waiting_cost(self) -> int:
        return sum(_cost(trial.task) for trial in self._waiting)

    def _receive(self, reference: Any) -> Iterator[Answer[Key]]:
        from ray.exceptions import RayError, RayTaskError

        promise = self._promised.pop(reference)
        worker, group = promise.worker, promise.group
        result: Any = None
        failure: str | None = None
        try:
            result = self._ray.get(reference)
        except RayTaskError as error:
            if group is None:
                raise _explain(error) from None
            failure = f"a worker failed ({type(error.cause).__name__})"  # and no more: the error may repeat the text
        except RayError as error:
            yield from self._replace(worker, error)
            return
        if group is None:
            worker.pid = result
            return
        worker.groups.remove(group)
        self._deaths_in_a_row = 0
        if failure is None:
            for trial, edits in zip(group, result, strict=True):
                yield Answer(trial.task.key, edits)
        elif len(group) == 1:
            yield Answer(group[0].task.key, failure=failure)
        else:
            self._put_back(group)

    def _replace(self, worker: _Hired[Key], error: Exception) -> Iterator[Answer[Key]]:
        """Removes a dead worker and puts its texts back; another is started when there is work for it."""
        self._kill(worker)
        self._hired.remove(worker)
        self._promised = {
            reference: promise for reference, promise in self._promised.items() if promise.worker is not worker
        }
        self.deaths += 1
        self._deaths_in_a_row += 1
        if self._deaths_in_a_row > self._limit + _TRIES:
            reason = shorten(str(error).strip().splitlines()[-1], _LONGEST_REASON)
            raise ConfigError(
                f"workers keep crashing ({reason}); fix the cause, or use fewer workers, and run this again"
            )
        # The cause is most likely in the first group, but its answer may have been lost with the worker.
        for trial in worker.groups[0] if worker.groups else ():
            trial.deaths += 1
        trials = [trial for group in worker.groups for trial in group]
        self._put_back(trial for trial in trials if trial.deaths < _TRIES)
        for trial in trials:
            if trial.deaths == _TRIES:
                failure = f"{_TRIES} workers crashed while checking it, most likely for lack of memory"
                yield Answer(trial.task.key, failure=failure)

    def _put_back(self, trials: Iterable[_Trial[Key]]) -> None:
        suspects = list(trials)
        for trial in suspects:
            trial.is_suspect = True
        self._waiting.extendleft(reversed(suspects))

    def _kill(self, worker: _Hired[Key]) -> None:
        with suppress(Exception):  # it may be dead already, and the cluster with it
            self._ray.kill(worker.actor)


@contextmanager
def open_cluster(
    setup: SessionSetup, workers: int | None = None, group_characters: int | None = None
) -> Iterator[Cluster[Any]]:
    """Opens a cluster of up to `workers` workers; by default as many as it has processors, or GPUs, for.

    By default workers get as much text in a call as their engine decodes in bulk, and otherwise one text.
    """
    setup = _prepare(setup)
    # Ray would print a long message for every worker that dies.
    with Path(os.devnull).open("w") as nowhere, redirect_stdout(nowhere), _connect(setup, workers) as ray:
        cores, on_gpu = setup.model.threads or 1, setup.model.engine == "cuda"
        resources = ray.cluster_resources()
        gpus = int(resources.get("GPU", 0))
        limit = workers or (gpus if on_gpu else int(resources.get("CPU", 0) // cores))
        if not limit:
            raise ConfigError(
                f"the cluster has no free {'GPU' if on_gpu else 'processor'}; give the number of --workers"
            )
        share = gpu_share(limit, gpus) if on_gpu else 0
        actor_class = ray.remote(Worker).options(num_cpus=cores, num_gpus=share, max_restarts=0)
        if group_characters is None:
            group_characters = BULK_CHARACTERS if on_gpu else 0
        cluster = Cluster[Any](ray, actor_class, setup, limit, group_characters)
        try:
            yield cluster
        finally:
            cluster.dismiss()


def _cost(task: Task[Any]) -> int:
    return max(text_cost(task.text), _SHORT_TEXT)


def gpu_share(workers: int, gpus: int) -> float:
    """The part of a GPU that each worker takes, so that all of them fit.

    A whole one where the cluster has no GPU yet: some clusters add machines on request.
    """
    workers_each = math.ceil(workers / gpus) if gpus else 1
    return _GPU_UNITS // workers_each / _GPU_UNITS  # rounded down, so that Ray cannot round it up


def _prepare(setup: SessionSetup) -> SessionSetup:
    """The setup for other machines, which have the same software and model folders but not the user's files."""
    from redraft.model.catalogue import installed

    model = replace(setup.model, threads=setup.model.threads or 1)
    if model.model and model.model not in (AUTO, *installed()):  # a name goes before a folder that is called so
        model = replace(model, model=str(Path(model.model).resolve()))
    return replace(setup, model=model, options=replace(setup.options, rules=setup.options.rules.current()))


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
    """Checks that the address answers: Ray itself would try for minutes."""
    place = _HOST_AND_PORT.fullmatch(address)
    if place is None:  # such as "auto"
        return
    try:
        socket.create_connection((place["host"], int(place["port"])), _PATIENCE).close()
    except (OSError, OverflowError) as error:
        raise ConfigError(f"no Ray cluster at {ADDRESS}={address}: {error}") from None


def _explain(error: Any) -> RedraftError:
    """The error that kept a worker from starting."""
    cause = error.cause
    if isinstance(cause, RedraftError):
        return cause
    return ConfigError(f"a worker could not start: {type(cause).__name__}: {str(cause).strip().splitlines()[-1]}")
