"""A whole training run: prepares the text, goes through the stages, and leaves a finished model folder."""

from __future__ import annotations

import hashlib
import json
import signal
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

import torch
from torch import Tensor

from redraft.errors import ConfigError
from redraft.lab.train import checkpoint
from redraft.lab.train.averaging import average
from redraft.lab.train.checkpoint import Checkpoint, Position
from redraft.lab.train.compile_check import rehearse
from redraft.lab.train.config import StageConfig, TrainConfig
from redraft.lab.train.dev import Examiner
from redraft.lab.train.group import Group, choose_device, join
from redraft.lab.train.journal import Journal
from redraft.lab.train.learner import Learner
from redraft.lab.train.loader import Loader
from redraft.lab.train.loop import Clock, Hooks, Loop, set_dropout
from redraft.lab.train.objective import Objective
from redraft.lab.train.result import write_card, write_model
from redraft.lab.train.schedule import progress, units_at
from redraft.lab.train.sources import count_workers, gather_streams, plan_feed
from redraft.lab.train.weights import Weights
from redraft.lab.train.workers import Feed, Stream
from redraft.model.config import ModelConfig, preset
from redraft.model.folder import ModelFolder, ModelInfo
from redraft.model.transformer import Transformer
from redraft.tokens.tokenizer import Tokenizer

STOPPED = 3
STAGES = "stages"
"""Holds a model folder for each stage that ended, so that another fine-tuning can start from what came before it."""
DTYPES = {"bf16": torch.bfloat16, "fp32": torch.float32}


@dataclass(frozen=True, slots=True)
class Outcome:
    """Whether the run came to its end, and the folder of the finished model if so."""

    finished: bool
    model: Path | None

    @property
    def exit_code(self) -> int:
        """What a command returns: a run that was stopped is neither done nor failed."""
        return 0 if self.finished else STOPPED


def train(config: TrainConfig, *, minutes: float | None = None, resume: bool = False, root: Path = Path()) -> Outcome:
    """Trains as the config says. After `minutes` it saves and stops; `resume` goes on where a run was left."""
    device = choose_device(config.run.device)
    with join(device) as group, Journal(root / config.folder if group.first else None) as journal:
        return Session(config, device, group, journal, minutes, root).run(resume)


class Session:
    def __init__(
        self,
        config: TrainConfig,
        device: torch.device,
        group: Group,
        journal: Journal,
        minutes: float | None,
        root: Path,
    ) -> None:
        self.config, self.device, self.group, self.journal, self.root = config, device, group, journal, root
        self.folder = root / config.folder
        self.deadline = time.monotonic() + 60 * minutes if minutes else None
        self.position = Position()
        self.tokenizer = Tokenizer.load(root / config.data.tokenizer)
        self.model_config = self._shape()
        torch.manual_seed(config.data.seed)
        torch.set_float32_matmul_precision("high")
        model = Transformer(self.model_config)
        if config.start:
            model.load_weights(checkpoint.read_tensors(ModelFolder.open(root / config.start).weights))
        self.weights = Weights(model.to(device), DTYPES[config.run.precision])
        self.examiner = Examiner(config.dev, self.tokenizer, model, root) if group.first else None
        self._check_group()
        self._interrupted = False
        self._saved = self._examined = 0.0
        self._saved_step = self._examined_step = 0

    def run(self, resume: bool) -> Outcome:
        previous = signal.signal(signal.SIGTERM, self._interrupt)
        try:
            saved = checkpoint.load(self.folder, self._digest()) if resume else None
            if saved is None:
                self._refuse_to_overwrite(resume)
            else:
                self.position = saved.position
                self.weights.load(saved.part("weights"))
                self.weights.publish()
                self.journal.say(f"going on in stage {saved.position.stage + 1} at step {saved.position.step}")
            streams = gather_streams(self.config, self.root, self.group, self.journal)
            while self.position.stage < len(self.config.stages):
                if not self._run_stage(self.config.stages[self.position.stage], streams, saved):
                    self.journal.say(f"stopped; go on with --resume ({self.folder})")
                    return Outcome(False, None)
                saved = None
            return Outcome(True, self._finish() if self.group.first else None)
        finally:
            signal.signal(signal.SIGTERM, previous)

    def _run_stage(self, stage: StageConfig, streams: dict[str, Stream], saved: Checkpoint | None) -> bool:
        position, run = self.position, self.config.run
        set_dropout(self.weights.model, stage.dropout)
        self.weights.model.train()
        learner = Learner(self.weights, stage, run, saved)
        objective = Objective(self.weights.model, stage.label_smoothing, run.compile)
        with ExitStack() as stack:
            plan = plan_feed(self.config.data, stage, position.stage, streams, self.root)
            feed = Feed(
                plan,
                position.lanes,
                count_workers(self.config.data, self.group),
                first=position.units,
                stride=self.group.size,
                rank=self.group.rank,
            )
            stack.callback(feed.close)
            rehearsed = rehearse(objective, plan.layout, stage, self.device)
            self.journal.say(f"stage {stage.name}: {rehearsed}")
            self.journal.record("rehearsal", stage=stage.name, outcome=rehearsed)
            self.group.wait()
            clock = Clock(position.seconds)
            per_step = max(1, stage.accumulate // self.group.size)

            def units(number: int) -> int:
                return units_at(stage.batches, progress(stage, number // per_step, clock.seconds))

            loader = Loader(feed, self.device, units, first=position.passes)
            stack.callback(loader.close)
            seed = self.config.data.seed * 100 + position.stage
            loop = Loop(stage, run, learner, objective, position, clock, self.group, self.journal, seed)
            if stage.finish == "best" and not position.step:
                self._evaluate(stage, None)  # what the stage starts from may turn out to be the best
            ended = loop.train(loader, self._hooks(stage, clock, learner))
            position.seconds = clock.seconds
        if not ended:
            self._save(learner)
            return False
        self._end_stage(stage, learner)
        return True

    def _hooks(self, stage: StageConfig, clock: Clock, learner: Learner) -> Hooks:
        run, dev, position = self.config.run, self.config.dev, self.position
        self._saved = self._examined = clock.seconds
        self._saved_step = self._examined_step = position.step

        def save() -> None:
            position.seconds = clock.seconds
            self._save(learner)
            self._saved, self._saved_step = clock.seconds, position.step

        def save_due() -> bool:
            steps = run.checkpoint_steps and position.step - self._saved_step >= run.checkpoint_steps
            return bool(steps) or clock.seconds - self._saved >= 60 * run.checkpoint_minutes

        def evaluate() -> bool:
            self._examined, self._examined_step = clock.seconds, position.step
            return self._evaluate(stage, learner.best_row)

        def evaluate_due() -> bool:
            steps = stage.examine_steps and position.step - self._examined_step >= stage.examine_steps
            return bool(steps or (dev.minutes and clock.seconds - self._examined >= 60 * dev.minutes))

        def should_stop() -> bool:
            return self._interrupted or (self.deadline is not None and time.monotonic() >= self.deadline)

        return Hooks(save, evaluate, should_stop, save_due, evaluate_due)

    def _evaluate(self, stage: StageConfig, row: Tensor | None) -> bool:
        """Scores the running average, or the weights as they are; keeps them when they are the best so far."""
        if self.examiner is None:
            return False
        position = self.position
        try:
            score = self.examiner.examine(self.weights, row)
        except Exception as error:  # hours of training must not be lost to a failing examination
            self.journal.say(f"dev at step {position.step} failed ({type(error).__name__}: {error}); training goes on")
            self.journal.record("dev failed", position.all_steps, error=f"{type(error).__name__}: {error}")
            return False
        self.journal.record("dev", position.all_steps, stage=stage.name, **score.facts())
        files = "  ".join(f"{name} P {s.precision:.3f} R {s.recall:.3f} F {s.f:.4f}" for name, s in score.files.items())
        self.journal.say(f"dev at step {position.step}: {files}  spoiled {score.spoiled:.1%}  ({score.seconds:.1f} s)")
        if score.f > position.best:
            position.best, position.since_best = score.f, 0
            if stage.finish == "best":
                checkpoint.write_tensors(self._best(), self.weights.named(row), {})
        else:
            position.since_best += 1
        return bool(stage.patience) and position.since_best >= stage.patience

    def _end_stage(self, stage: StageConfig, learner: Learner) -> None:
        position = self.position
        if stage.finish == "best":
            self._evaluate(stage, learner.best_row)
            self.group.wait()
            if self._best().exists():
                self.weights.load(checkpoint.read_tensors(self._best()))
        elif stage.finish == "ema" and learner.average is not None:
            self.weights.row.copy_(learner.average.row)
        elif stage.finish == "average":
            self.group.wait()
            kept = [checkpoint.read_tensors(path) for path in self._kept()]
            latest = {name: tensor.cpu() for name, tensor in self.weights.named().items()}
            self.weights.load(average([*kept, latest]))
        self.weights.publish()
        if stage.finish != "best":
            self._evaluate(stage, None)
        if self.group.first:
            self._write_model(self.folder / STAGES / stage.name)
        self.journal.record(
            "stage", position.all_steps, stage=stage.name, seconds=round(position.seconds, 1), pairs=position.pairs
        )
        position.next_stage()
        self._save(None)

    def _save(self, learner: Learner | None) -> None:
        """Within a stage all that the learner holds; between stages the weights alone."""
        position = self.position
        position.average_updates = learner.average.updates if learner and learner.average else 0
        for lanes in self.group.gather(position.lanes):
            position.lanes.update(lanes)
        if not self.group.first:
            return
        started = time.monotonic()
        bare = {f"weights.{name}": tensor for name, tensor in self.weights.named().items()}
        tensors = bare if learner is None else learner.tensors()
        checkpoint.save(self.folder, position, tensors, self._digest())
        if self.config.run.keep:
            self._keep()
        self.journal.record("checkpoint", position.all_steps, seconds=round(time.monotonic() - started, 2))

    def _keep(self) -> None:
        """Weights alone, for averaging; the oldest beyond the number asked for goes."""
        path = self.folder / f"weights-{self.position.stage}-{self.position.step:08d}.safetensors"
        if self.position.step:
            checkpoint.write_tensors(path, self.weights.named(), {})
        for old in self._kept()[: -self.config.run.keep]:
            old.unlink()

    def _kept(self) -> list[Path]:
        return sorted(self.folder.glob(f"weights-{self.position.stage}-*.safetensors"))

    def _best(self) -> Path:
        return self.folder / f"best-{self.position.stage}.safetensors"

    def _finish(self) -> Path:
        path = self.folder / "model"
        self._write_model(path)
        self.journal.say(f"the model is in {path}")
        return path

    def _write_model(self, path: Path) -> None:
        told = self.config
        info = ModelInfo(told.name, told.language, told.summary, told.licence, told.threshold)
        tokenizer = self.root / self.config.data.tokenizer
        card = write_card(self.config, self.position)
        write_model(path, self.weights.named(), self.model_config, tokenizer, info, card)

    def _shape(self) -> ModelConfig:
        changes = {key: value for key, value in self.config.model.items() if key != "preset"}
        if self.config.start:
            started = ModelFolder.open(self.root / self.config.start).config
            shape = ModelConfig.from_mapping({**started.to_mapping(), **changes})
        else:
            shape = preset(self.config.model["preset"], **{"vocabulary": self.tokenizer.size, **changes})
        if shape.vocabulary != self.tokenizer.size:
            raise ConfigError(
                f"the model has {shape.vocabulary} tokens, {self.config.data.tokenizer} has {self.tokenizer.size}"
            )
        if shape.max_tokens + 1 < self.config.data.longest:
            raise ConfigError(
                f"data.longest {self.config.data.longest} is more than the model's max_tokens {shape.max_tokens} + 1"
            )
        return shape

    def _check_group(self) -> None:
        if self.config.data.lanes % self.group.size:
            raise ConfigError(
                f"data.lanes {self.config.data.lanes} must be a multiple of the {self.group.size} processes"
            )
        for stage in self.config.stages:
            if stage.accumulate % self.group.size:
                raise ConfigError(
                    f"stage {stage.name}: accumulate {stage.accumulate} is no multiple of {self.group.size} processes"
                )

    def _digest(self) -> str:
        """What a checkpoint depends on: another model, tokenizer or way of dealing out data cannot go on from it."""
        data = self.config.data
        facts = [self.model_config.to_mapping(), data.unit, data.longest, data.lanes, data.seed, self.group.size]
        text = json.dumps(facts) + (self.root / data.tokenizer).read_text(encoding="utf-8")
        return hashlib.sha256(text.encode()).hexdigest()

    def _refuse_to_overwrite(self, resume: bool) -> None:
        if not resume and self.group.first and (self.folder / checkpoint.LAST).exists():
            raise ConfigError(f"{self.folder} holds a run already; go on with --resume, or choose another folder")

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        self._interrupted = True
