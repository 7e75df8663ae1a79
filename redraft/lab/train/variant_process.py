"""Processes that train the variants of a run, each in a folder of its own."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from multiprocessing import get_context
from multiprocessing.connection import wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import torch

from redraft.errors import InputError, RedraftError, one_line
from redraft.lab.train.config import TrainConfig
from redraft.lab.train.process_group import ProcessGroup, choose_device
from redraft.lab.train.run_log import RunLog
from redraft.lab.train.run_result import STOPPED, RunResult
from redraft.lab.train.stop_request import StopRequest
from redraft.lab.train.variant_record import new_record, read_record
from redraft.lab.train.workers import MixSource
from redraft.process_pool import end_with_parent
from redraft.settings_reader import read_settings

if TYPE_CHECKING:
    from redraft.lab.train.training_run import TrainingRun

OUTPUT = "output.log"
"""What a variant's process writes to standard output and standard error."""
_ERROR = "error: "
_POLL_SECONDS = 0.5
_SAVE_SECONDS = 60.0
"""Time to save for processes that are stopped because the run itself fails."""


@dataclass(frozen=True, slots=True)
class VariantTask:
    """What the process of a variant needs to know."""

    kind: type[TrainingRun]
    name: str
    values: dict[str, Any]
    """The variant's config, as `plain_values` gives it."""
    root: Path
    sources: dict[str, MixSource]
    source_credits: str
    shared_folder: Path
    shared_fingerprint: str
    """Where the checkpoint is that the variant starts from, and the fingerprint of the run that wrote it."""
    threads: int
    """Threads of torch on the CPU."""

    @property
    def output(self) -> Path:
        return self.root / str(self.values["folder"]) / OUTPUT


def run_processes(
    tasks: Iterable[VariantTask], at_once: int, stop: StopRequest, report: Callable[[VariantTask, str], None]
) -> dict[str, str]:
    """Trains variants, `at_once` at the same time. Where a stop is due, they save and stop, and no other is started.

    `report` is called with each variant that ends and the reason of its failure, empty if it did not fail. Returns the
    failed variants with their reasons."""
    waiting, failed = deque(tasks), dict[str, str]()
    running: dict[SpawnProcess, VariantTask] = {}
    stopped: set[SpawnProcess] = set()
    try:
        while running or (waiting and not stop.is_due):
            while waiting and len(running) < at_once and not stop.is_due:
                task = waiting.popleft()
                process = get_context("spawn").Process(target=train_variant, args=(task,), name=f"variant-{task.name}")
                process.start()
                running[process] = task
            if stop.is_due:
                for process in running.keys() - stopped:
                    process.terminate()
                    stopped.add(process)
            wait([process.sentinel for process in running], timeout=_POLL_SECONDS)
            for process in [process for process in running if not process.is_alive()]:
                task = running.pop(process)
                reason = _reason_of_failure(process, task, process in stopped)
                if reason:
                    failed[task.name] = reason
                report(task, reason)
    finally:
        _end(running)
    return failed


def _reason_of_failure(process: SpawnProcess, task: VariantTask, stopped: bool) -> str:
    """Why a process has failed, or an empty text if it has finished or was stopped."""
    code = process.exitcode or 0
    if code in (0, STOPPED) or (stopped and code == -signal.SIGTERM):  # the signal may come before its handler is set
        return ""
    if code < 0:
        return f"killed by {signal.Signals(-code).name}"
    lines = task.output.read_text(encoding="utf-8", errors="replace").splitlines() if task.output.exists() else []
    errors = [line.removeprefix(_ERROR) for line in lines if line.startswith(_ERROR)]
    return one_line(errors[-1]) if errors else f"exit code {code}"


def _end(processes: Iterable[SpawnProcess]) -> None:
    """Lets processes save, and ends those that do not come to an end."""
    for process in processes:
        process.terminate()
    for process in processes:
        process.join(_SAVE_SECONDS)
        process.kill()


def train_variant(task: VariantTask) -> None:
    """Trains a variant in a process of its own, which ends with the exit code of the run."""
    end_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes; the parent decides what happens
    config = read_settings(TrainConfig, task.values)
    task.output.parent.mkdir(parents=True, exist_ok=True)
    terminal = _redirect_output(task.output)
    try:
        with StopRequest() as stop, RunLog(task.output.parent, task.name, terminal) as log:
            code = _train(task, config, stop, log).exit_code
    except Exception as error:
        if isinstance(error, RedraftError):
            reason = str(error)
        else:
            traceback.print_exc()
            reason = f"{type(error).__name__}: {error}"
        print(f"{_ERROR}{one_line(reason)}", file=sys.stderr, flush=True)  # noqa: T201
        code = 1
    sys.exit(code)


def _redirect_output(path: Path) -> TextIO:
    """Sends standard output and standard error to a file, those of libraries and of data workers too. Returns the
    standard error of before."""
    terminal = os.fdopen(os.dup(2), "w", encoding="utf-8", errors="replace")
    with path.open("ab") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    return terminal


def _train(task: VariantTask, config: TrainConfig, stop: StopRequest, log: RunLog) -> RunResult:
    torch.set_num_threads(task.threads)
    device = choose_device(config.run.device)
    run = task.kind(config, device, ProcessGroup(), log, stop, task.root, task.source_credits)
    run.remark = f"This is the variant {task.name} of a run whose finished model has the mean weights of its variants."
    saved = run.load_checkpoint(run.folder, run.fingerprint)
    if saved is None:
        saved = run.load_checkpoint(task.shared_folder, task.shared_fingerprint)
    if saved is None:
        raise InputError(f"{task.shared_folder}: the checkpoint of the shared stages is missing")
    record = read_record(run.folder) or new_record(config, run.position)
    record = replace(record, stages=new_record(config, run.position).stages)
    record.write(run.folder)
    if not run.train_stages(saved, task.sources):
        return RunResult(False, None)
    score = run.score_final_weights()
    model = run.finish()
    replace(record, finished=True, dev=score.figures() if score else None).write(run.folder)
    return RunResult(True, model)
