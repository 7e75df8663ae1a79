"""A run with variants: trains the shared stages once, then the variants, and writes the mean of their weights."""

from __future__ import annotations

import gc
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from redraft.errors import ConfigError, InputError, RedraftError
from redraft.lab.train.averaging import average
from redraft.lab.train.checkpoint import Checkpoint, Position
from redraft.lab.train.config import TrainConfig, trained_configs
from redraft.lab.train.model_shape import make_fingerprint
from redraft.lab.train.process_group import ProcessGroup
from redraft.lab.train.run_folder import load_checkpoint, load_position, refuse_to_overwrite
from redraft.lab.train.run_log import RunLog
from redraft.lab.train.run_result import RunResult
from redraft.lab.train.sources import count_workers, prepare_sources
from redraft.lab.train.stop_request import StopRequest
from redraft.lab.train.variant_process import VariantTask, run_processes
from redraft.lab.train.variant_record import VariantRecord, check_records, read_record
from redraft.lab.train.workers import MixSource
from redraft.settings_reader import plain_values

if TYPE_CHECKING:
    from redraft.lab.train.training_run import TrainingRun


def check_variants(config: TrainConfig, root: Path) -> None:
    """Refuses what a run with variants cannot do, before a device is used."""
    if config.variants and int(os.environ.get("WORLD_SIZE", "1")) > 1:
        raise ConfigError(
            "a config with variants is trained without torchrun; --set variants=[] trains the stages alone"
        )
    check_records(config, root)


class VariantsRun:
    """Trains what `kind` trains, in this process up to the last shared stage, and in a process for each variant."""

    def __init__(
        self,
        kind: type[TrainingRun],
        config: TrainConfig,
        device: torch.device,
        log: RunLog,
        stop: StopRequest,
        root: Path,
        source_credits: str = "",
    ) -> None:
        self.kind, self.config, self.device, self.log, self.stop = kind, config, device, log, stop
        self.root, self.source_credits = root, source_credits
        self.folder = root / config.folder
        self._shared = replace(config, stages=config.shared_stages, variants=())
        names = [variant.name for variant in config.variants]
        self._configs = dict(zip(names, trained_configs(config), strict=True))
        self._fingerprint = self._make_fingerprint(config)
        self._fingerprints = {name: self._make_fingerprint(each) for name, each in self._configs.items()}

    def run(self, resume: bool) -> RunResult:
        if not resume:
            refuse_to_overwrite(self.folder)
        self._refuse_other_stages()
        sources = prepare_sources(self.config, self.root, ProcessGroup(), self.log)
        if not self._train_shared(sources):
            return self._stopped()
        self._free_memory()
        failed = self._train_variants(sources)
        if failed:
            reasons = "; ".join(f"{name} ({reason})" for name, reason in failed.items())
            raise RedraftError(
                f"{len(failed)} of {len(self._configs)} variants failed: {reasons}; the others are kept, and --resume"
                " trains what is missing"
            )
        if not all(map(self._is_finished, self._configs)):
            return self._stopped()
        return RunResult(True, self._write_mean())

    def _stopped(self) -> RunResult:
        self.log.print(f"stopped; continue with --resume ({self.folder})")
        return RunResult(False, None)

    def _refuse_other_stages(self) -> None:
        """Refuses a folder where the stages of the variants were trained without variants."""
        position, shared = load_position(self.folder, self._fingerprint), len(self._shared.stages)
        if position is not None and (position.stage, position.step) > (shared, 0):
            raise ConfigError(
                f"{self.folder} holds a run without variants, and is beyond the stage"
                f" {self.config.last_shared_stage!r}; choose another folder"
            )

    def _train_shared(self, sources: dict[str, MixSource]) -> bool:
        """Trains the shared stages, unless no variant needs them any more. False if the run was stopped."""
        position = load_position(self.folder, self._fingerprint)
        if position is not None and position.stage >= len(self._shared.stages):
            return True
        if all(self._position(name) is not None for name in self._configs):
            return True
        run = self._new_run(self._shared)
        return run.train_stages(run.load_checkpoint(self.folder, self._fingerprint), sources)

    def _free_memory(self) -> None:
        """The variants need the memory of the device."""
        gc.collect()
        if self.device.type == "cuda":
            torch.cuda.empty_cache()

    def _train_variants(self, sources: dict[str, MixSource]) -> dict[str, str]:
        """Trains the variants that are not finished. Returns those that failed, with the reason."""
        missing = [name for name in self._configs if not self._is_finished(name)]
        at_once = self.config.run.variants_at_once or len(self._configs)
        running = max(1, min(at_once, len(missing)))
        workers = max(1, count_workers(self.config.data, ProcessGroup()) // running)
        # The same number of threads whichever variants are left: on the CPU, sums of floats depend on it.
        threads = max(1, torch.get_num_threads() // min(at_once, len(self._configs)))
        tasks = [self._make_task(name, sources, workers, threads) for name in missing]
        if tasks:
            self.log.print(
                f"variants {', '.join(missing)}: {running} at a time, data workers of each: {workers}, messages in"
                f" {tasks[0].output.parent.parent}/NAME/{tasks[0].output.name}"
            )

        def report(task: VariantTask, reason: str) -> None:
            outcome = "failed" if reason else "finished" if self._is_finished(task.name) else "stopped"
            self.log.record("variant", name=task.name, outcome=outcome, reason=reason)
            self.log.print(
                f"{task.name}: failed ({reason}); see {task.output}" if reason else f"{task.name}: {outcome}"
            )

        return run_processes(tasks, at_once, self.stop, report)

    def _make_task(self, name: str, sources: dict[str, MixSource], workers: int, threads: int) -> VariantTask:
        config = self._configs[name]
        return VariantTask(
            kind=self.kind,
            name=name,
            values=plain_values(replace(config, data=replace(config.data, workers=workers))),
            root=self.root,
            sources=sources,
            source_credits=self.source_credits,
            shared_folder=self.folder,
            shared_fingerprint=self._fingerprint,
            threads=threads,
        )

    def _write_mean(self) -> Path:
        """Writes the model with the mean of the final weights of all variants."""
        saved = {name: self._load(name) for name in self._configs}
        records = {name: self._record(name) for name in self._configs}
        run = self._new_run(self.config)
        run.weights.load(average([each.part("weights") for each in saved.values()]))
        run.weights.copy_to_model()
        positions = {name: each.position for name, each in saved.items()}
        run.position = _add_up(positions, records)
        run.remark = _describe_mean(self.config, positions, records)
        for name, record in records.items():
            self._log_score(name, record.dev)
        score = run.score_final_weights()
        self._log_score("mean", score.figures() if score else None)
        return run.finish()

    def _log_score(self, name: str, figures: Mapping[str, float] | None) -> None:
        if figures is None:
            return
        self.log.record("final dev", None, weights=name, **figures)
        files = "".join(
            f"{key.removesuffix('.f')} F {value:.4f}  " for key, value in figures.items() if key.endswith(".f")
        )
        self.log.print(f"dev of {name}: {files}overcorrected {figures['overcorrected']:.1%}")

    def _is_finished(self, name: str) -> bool:
        position, record = self._position(name), read_record(self.root / self._configs[name].folder)
        at_end = position is not None and position.stage >= len(self._configs[name].stages)
        return at_end and record is not None and record.finished

    def _position(self, name: str) -> Position | None:
        return load_position(self.root / self._configs[name].folder, self._fingerprints[name])

    def _load(self, name: str) -> Checkpoint:
        saved = load_checkpoint(self.root / self._configs[name].folder, self._fingerprints[name])
        if saved is None:
            raise InputError(f"{self.root / self._configs[name].folder}: the checkpoint is missing")
        return saved

    def _record(self, name: str) -> VariantRecord:
        record = read_record(self.root / self._configs[name].folder)
        assert record is not None  # it is finished
        return record

    def _new_run(self, config: TrainConfig) -> TrainingRun:
        return self.kind(config, self.device, ProcessGroup(), self.log, self.stop, self.root, self.source_credits)

    def _make_fingerprint(self, config: TrainConfig) -> str:
        return make_fingerprint(config, self.kind.read_model_config(config, self.root), self.root)


def _add_up(positions: Mapping[str, Position], records: Mapping[str, VariantRecord]) -> Position:
    """Steps, pairs and tokens of the shared stages and of all variants."""
    first = next(iter(records.values()))
    return Position(
        all_steps=first.shared_steps
        + sum(positions[name].all_steps - each.shared_steps for name, each in records.items()),
        pairs=first.shared_pairs + sum(positions[name].pairs - each.shared_pairs for name, each in records.items()),
        tokens=first.shared_tokens + sum(positions[name].tokens - each.shared_tokens for name, each in records.items()),
    )


def _describe_mean(config: TrainConfig, positions: Mapping[str, Position], records: Mapping[str, VariantRecord]) -> str:
    """A paragraph for the card of the model."""
    shared = ", ".join(stage.name for stage in config.shared_stages)
    own = ", ".join(stage.name for stage in config.stages[len(config.shared_stages) :])
    lines = "\n".join(
        f"- {name}: {positions[name].all_steps - each.shared_steps:,} steps on"
        f" {positions[name].pairs - each.shared_pairs:,} pairs"
        for name, each in records.items()
    )
    return (
        f"The weights are the mean of {len(records)} variants, which went on from the same weights ({shared}) with"
        f" different settings ({own}):\n\n{lines}"
    )
