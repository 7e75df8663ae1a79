"""A training run: prepares the text, trains the stages one after another, and writes a finished model folder."""

from __future__ import annotations

import time
from contextlib import ExitStack, nullcontext
from pathlib import Path

import torch
from torch import Tensor

from redraft.errors import ConfigError
from redraft.lab.train import checkpoint
from redraft.lab.train.averaging import average
from redraft.lab.train.checkpoint import Checkpoint, Position
from redraft.lab.train.compile_check import check_compilation
from redraft.lab.train.config import StageConfig, TrainConfig, trained_configs
from redraft.lab.train.dev_evaluation import DevEvaluator, DevScore
from redraft.lab.train.freed_memory import keep_freed_memory
from redraft.lab.train.loader import BatchLoader
from redraft.lab.train.loop import Clock, Hooks, TrainingLoop, set_dropout
from redraft.lab.train.loss import LossFunction
from redraft.lab.train.model_shape import make_fingerprint, read_model_config
from redraft.lab.train.model_writer import write_card, write_model
from redraft.lab.train.optimizer import Optimizer
from redraft.lab.train.process_group import ProcessGroup, choose_device, join
from redraft.lab.train.run_folder import load_checkpoint, lock_folder, refuse_to_overwrite
from redraft.lab.train.run_log import RunLog
from redraft.lab.train.run_result import RunResult
from redraft.lab.train.schedule import packs_at, progress
from redraft.lab.train.sources import check_files, check_licences, count_workers, plan_workers, prepare_sources
from redraft.lab.train.stop_request import StopRequest
from redraft.lab.train.variants_run import VariantsRun, check_variants
from redraft.lab.train.weights import MasterWeights
from redraft.lab.train.workers import MixSource, WorkerPlan, WorkerPool
from redraft.model.config import ModelConfig
from redraft.model.folder import ModelFolder, ModelInfo
from redraft.model.transformer import Transformer
from redraft.tokens.tokenizer import Tokenizer

STAGES = "stages"
"""Folder with a model folder for each finished stage, from which another fine-tuning can start."""
DTYPES = {"bf16": torch.bfloat16, "fp32": torch.float32}


def train(config: TrainConfig, *, minutes: float | None = None, resume: bool = False, root: Path = Path()) -> RunResult:
    """Trains a model. After `minutes` the run saves and stops; `resume` continues from its last checkpoint."""
    if config.tagger is not None:
        raise ConfigError("the config is for a tagger; train it with `python -m redraft.lab.tagger.train`")
    return start_run(TrainingRun, config, minutes, resume, root)


def start_run(
    kind: type[TrainingRun], config: TrainConfig, minutes: float | None, resume: bool, root: Path
) -> RunResult:
    """Checks the files of a config and trains what `kind` trains, with all variants."""
    check_variants(config, root)
    check_files(config, root)
    source_credits = check_licences(config, root)
    for each in trained_configs(config):
        kind.read_model_config(each, root)
    with StopRequest(minutes) as stop:
        device = choose_device(config.run.device)
        if device.type == "cpu":
            keep_freed_memory()
        folder = root / config.folder
        with (
            join(device) as group,
            lock_folder(folder) if group.is_first else nullcontext(),
            RunLog(folder if group.is_first else None) as log,
        ):
            if config.variants:
                return VariantsRun(kind, config, device, log, stop, root, source_credits).run(resume)
            return kind(config, device, group, log, stop, root, source_credits).run(resume)


class TrainingRun:
    """Trains a corrector. For another network with the same encoder, a subclass overrides the methods whose names have
    no underscore, but for those that run it."""

    def __init__(
        self,
        config: TrainConfig,
        device: torch.device,
        group: ProcessGroup,
        log: RunLog,
        stop: StopRequest,
        root: Path,
        source_credits: str = "",
    ) -> None:
        self.source_credits = source_credits
        self.remark = ""
        """A paragraph of the model's card."""
        self.stop = stop
        self.config, self.device, self.group, self.log, self.root = config, device, group, log, root
        self.folder = root / config.folder
        self.position = Position()
        self.tokenizer = Tokenizer.load(root / config.data.tokenizer)
        self.model_config = self.read_model_config(config, root)
        torch.manual_seed(config.data.seed)
        torch.set_float32_matmul_precision("high")
        model = self.new_network()
        self.weights = MasterWeights(model.to(device), DTYPES[config.run.precision])
        self.evaluator = self.new_evaluator() if group.is_first else None
        self._final_score: DevScore | None = None
        self._check_group()
        self.fingerprint = make_fingerprint(config, self.model_config, root, group.size)
        self._saved = self._evaluated = 0.0
        self._saved_step = self._evaluated_step = 0

    def run(self, resume: bool) -> RunResult:
        saved = self.load_checkpoint(self.folder, self.fingerprint) if resume else None
        if not resume and self.group.is_first:
            refuse_to_overwrite(self.folder)
        sources = prepare_sources(self.config, self.root, self.group, self.log)
        if not self.train_stages(saved, sources):
            self.log.print(f"stopped; continue with --resume ({self.folder})")
            return RunResult(False, None)
        return RunResult(True, self.finish() if self.group.is_first else None)

    def train_stages(self, saved: Checkpoint | None, sources: dict[str, MixSource]) -> bool:
        """Trains the stages that are left. False if the run was stopped before their end."""
        while self.position.stage < len(self.config.stages):
            if not self._run_stage(self.config.stages[self.position.stage], sources, saved):
                return False
            saved = None
        return True

    def load_checkpoint(self, folder: Path, fingerprint: str) -> Checkpoint | None:
        """Goes to the last checkpoint in a folder. None if there is none."""
        saved = load_checkpoint(folder, fingerprint)
        if saved is not None:
            self.position = saved.position
            self.weights.load(saved.part("weights"))
            self.weights.copy_to_model()
            self.log.print(f"continuing stage {saved.position.stage + 1} at step {saved.position.step}")
        return saved

    def _run_stage(self, stage: StageConfig, sources: dict[str, MixSource], saved: Checkpoint | None) -> bool:
        position, run = self.position, self.config.run
        set_dropout(self.weights.model, stage.dropout)
        self.weights.model.train()
        self.weights.freeze(stage.frozen)
        optimizer = Optimizer(self.weights, stage, run, saved)
        loss_function = self.new_loss(stage)
        with ExitStack() as stack:
            plan = self.plan_workers(stage, sources)
            pool = WorkerPool(
                plan,
                position.partitions,
                count_workers(self.config.data, self.group),
                first=position.packs,
                stride=self.group.size,
                rank=self.group.rank,
            )
            stack.callback(pool.close)
            compiled = check_compilation(loss_function, plan.layout, stage, self.device)
            self.log.print(f"stage {stage.name}: {compiled}")
            self.log.record("compilation", stage=stage.name, outcome=compiled)
            self.group.wait()
            clock = Clock(position.seconds)
            passes_per_step = max(1, stage.accumulate // self.group.size)

            def packs(number: int) -> int:
                return packs_at(stage.batches, progress(stage, number // passes_per_step, clock.seconds))

            loader = BatchLoader(pool, self.device, packs, first=position.passes)
            stack.callback(loader.close)
            seed = self.config.data.seed * 100 + position.stage
            loop = TrainingLoop(stage, run, optimizer, loss_function, position, clock, self.group, self.log, seed)
            if stage.final_weights == "best" and not position.step:
                self._evaluate(stage, None)  # the weights before the stage may turn out to be the best
            ended = loop.train(loader, self._hooks(stage, clock, optimizer))
            position.seconds = clock.seconds
        if not ended:
            self._save(optimizer)
            return False
        self._end_stage(stage, optimizer)
        return True

    def _hooks(self, stage: StageConfig, clock: Clock, optimizer: Optimizer) -> Hooks:
        run, dev, position = self.config.run, self.config.dev, self.position
        self._saved = self._evaluated = clock.seconds
        self._saved_step = self._evaluated_step = position.step

        def save() -> None:
            position.seconds = clock.seconds
            self._save(optimizer)
            self._saved, self._saved_step = clock.seconds, position.step

        def save_due() -> bool:
            steps = run.checkpoint_steps and position.step - self._saved_step >= run.checkpoint_steps
            return bool(steps) or clock.seconds - self._saved >= 60 * run.checkpoint_minutes

        def evaluate() -> bool:
            self._evaluated, self._evaluated_step = clock.seconds, position.step
            return self._evaluate(stage, optimizer.evaluated_weights)

        def evaluate_due() -> bool:
            steps = stage.evaluation_steps and position.step - self._evaluated_step >= stage.evaluation_steps
            return bool(steps or (dev.minutes and clock.seconds - self._evaluated >= 60 * dev.minutes))

        return Hooks(save, evaluate, lambda: self.stop.is_due, save_due, evaluate_due)

    def _evaluate(self, stage: StageConfig, flat: Tensor | None) -> bool:
        """Scores the moving average or the current weights, and keeps them if they are the best so far. True if the
        stage should stop early."""
        position, score = self.position, self._score(flat)
        if score is None:
            return False
        self.log.record("dev", position.all_steps, stage=stage.name, **score.figures())
        self.log.print(f"dev at step {position.step}: {score.describe()}")
        if score.f > position.best or stage.final_weights != "best":
            self._final_score = score
        if score.f > position.best:
            position.best, position.since_best = score.f, 0
            if stage.final_weights == "best":
                checkpoint.write_tensors(self._best_file(), self.weights.named(flat), {})
        else:
            position.since_best += 1
        return bool(stage.patience) and position.since_best >= stage.patience

    def _score(self, flat: Tensor | None) -> DevScore | None:
        if self.evaluator is None:
            return None
        try:
            return self.evaluator.evaluate(self.weights, flat)
        except Exception as error:  # a failed evaluation must not end hours of training
            problem, position = f"{type(error).__name__}: {error}", self.position
            self.log.print(f"dev at step {position.step} failed ({problem}); training goes on")
            self.log.record("dev failed", position.all_steps, error=problem)
            return None

    def score_final_weights(self) -> DevScore | None:
        """The dev score of the final weights, from the end of the last stage if it was trained just now."""
        return self._score(None) if self._final_score is None else self._final_score

    def _end_stage(self, stage: StageConfig, optimizer: Optimizer) -> None:
        position = self.position
        if stage.keep_checkpoint:
            self._save(optimizer)
            if self.group.is_first:
                checkpoint.copy(self.folder / checkpoint.LAST, self.folder / f"end-of-{stage.name}.safetensors")
        self._choose_final_weights(stage, optimizer)
        self.weights.copy_to_model()
        if stage.final_weights != "best":
            self._evaluate(stage, None)
        if self.group.is_first:
            self.write_model(self.folder / STAGES / stage.name)
        self.log.record(
            "stage", position.all_steps, stage=stage.name, seconds=round(position.seconds, 1), pairs=position.pairs
        )
        position.next_stage()
        self._save(None)

    def _choose_final_weights(self, stage: StageConfig, optimizer: Optimizer) -> None:
        if stage.final_weights == "best":
            self._evaluate(stage, optimizer.evaluated_weights)
            self.group.wait()
            if self._best_file().exists():
                self.weights.load(checkpoint.read_tensors(self._best_file()))
        elif stage.final_weights == "ema" and optimizer.average is not None:
            self.weights.flat.copy_(optimizer.average.flat)
        elif stage.final_weights == "average":
            self.group.wait()
            kept = [checkpoint.read_tensors(path) for path in self._kept_weights()]
            latest = {name: tensor.cpu() for name, tensor in self.weights.named().items()}
            self.weights.load(average([*kept, latest]))

    def _save(self, optimizer: Optimizer | None) -> None:
        """Writes a checkpoint: within a stage with the state of the optimizer, between stages the weights alone."""
        position = self.position
        position.average_updates = optimizer.average.updates if optimizer and optimizer.average else 0
        for partitions in self.group.gather(position.partitions):
            position.partitions.update(partitions)
        if not self.group.is_first:
            return
        started = time.monotonic()
        bare = {f"weights.{name}": tensor for name, tensor in self.weights.named().items()}
        tensors = bare if optimizer is None else optimizer.tensors()
        checkpoint.save(self.folder, position, tensors, self.fingerprint)
        if self.config.run.keep_weights:
            self._keep_weights()
        self.log.record("checkpoint", position.all_steps, seconds=round(time.monotonic() - started, 2))

    def _keep_weights(self) -> None:
        """Writes the weights alone, for averaging, and deletes the oldest beyond `keep_weights`."""
        path = self.folder / f"weights-{self.position.stage}-{self.position.step:08d}.safetensors"
        if self.position.step:
            checkpoint.write_tensors(path, self.weights.named(), {})
        for old in self._kept_weights()[: -self.config.run.keep_weights]:
            old.unlink()

    def _kept_weights(self) -> list[Path]:
        return sorted(self.folder.glob(f"weights-{self.position.stage}-*.safetensors"))

    def _best_file(self) -> Path:
        return self.folder / f"best-{self.position.stage}.safetensors"

    def finish(self) -> Path:
        """Writes the finished model."""
        path = self.folder / "model"
        self.write_model(path)
        self.log.print(f"the model is in {path}")
        return path

    def new_network(self) -> Transformer:
        """The network with random weights, or those of `start`."""
        model = Transformer(self.model_config)
        if self.config.start:
            weights = checkpoint.read_tensors(ModelFolder.open(self.root / self.config.start).weights)
            model.load_parts(weights, self.config.start_parts)
        return model

    def new_loss(self, stage: StageConfig) -> LossFunction:
        return LossFunction(self.weights.model, stage.label_smoothing, self.config.run.compile)

    def new_evaluator(self) -> DevEvaluator:
        return DevEvaluator(self.config.dev, self.tokenizer, self.weights.model, self.root)

    def plan_workers(self, stage: StageConfig, sources: dict[str, MixSource]) -> WorkerPlan:
        return plan_workers(self.config.data, stage, self.position.stage, sources, self.root)

    def write_model(self, path: Path) -> None:
        config = self.config
        info = ModelInfo(config.name, config.language, config.summary, config.licence, config.threshold)
        tokenizer = self.root / config.data.tokenizer
        card = write_card(config, self.position, self.source_credits, self.remark)
        write_model(path, self.weights.named(), self.model_config, tokenizer, info, card)

    @classmethod
    def read_model_config(cls, config: TrainConfig, root: Path) -> ModelConfig:
        return read_model_config(config, root)

    def _check_group(self) -> None:
        size = self.group.size
        if self.config.data.partitions % size:
            raise ConfigError(
                f"data.partitions {self.config.data.partitions} must be a multiple of the {size} processes"
            )
        for stage in self.config.stages:
            if stage.accumulate % size:
                raise ConfigError(
                    f"stages.{stage.name}.accumulate {stage.accumulate} must be a multiple of the {size} processes"
                )
