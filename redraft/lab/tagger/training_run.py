"""A training run of a tagger."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import torch

from redraft.errors import ConfigError
from redraft.lab.tagger import folder
from redraft.lab.tagger.evaluation import TagEvaluator
from redraft.lab.tagger.folder import TaggerOptions
from redraft.lab.tagger.labels import TagLabels
from redraft.lab.tagger.network import TaggerNetwork, TagLoss, encoder_config
from redraft.lab.tagger.tagger_writer import write_tagger
from redraft.lab.tagger.vocabulary import TagVocabulary
from redraft.lab.train.checkpoint import read_tensors
from redraft.lab.train.config import StageConfig, TrainConfig
from redraft.lab.train.model_writer import write_card
from redraft.lab.train.run_result import RunResult
from redraft.lab.train.training_run import TrainingRun, start_run
from redraft.lab.train.workers import MixSource, WorkerPlan
from redraft.model.config import ModelConfig
from redraft.model.folder import ModelFolder, ModelInfo


def train_tagger(
    config: TrainConfig, *, minutes: float | None = None, resume: bool = False, root: Path = Path()
) -> RunResult:
    """Trains a tagger. After `minutes` the run saves and stops; `resume` continues from its last checkpoint."""
    if config.tagger is None:
        raise ConfigError("the config is for a corrector; for a tagger it needs a table [tagger] with `tags`")
    return start_run(TaggerRun, config, minutes, resume, root)


class TaggerRun(TrainingRun):
    @property
    def options(self) -> TaggerOptions:
        settings = self.config.tagger
        assert settings is not None
        return TaggerOptions(settings.min_probability, settings.min_error_probability, settings.max_passes)

    @property
    def tags_file(self) -> Path:
        assert self.config.tagger is not None
        return self.root / self.config.tagger.tags

    @classmethod
    def read_model_config(cls, config: TrainConfig, root: Path) -> ModelConfig:
        return encoder_config(super().read_model_config(config, root))

    def new_network(self) -> TaggerNetwork:
        self.vocabulary = TagVocabulary.read(self.tags_file)
        model = TaggerNetwork(self.model_config, len(self.vocabulary.tags))
        if self.config.start:
            model.load_encoder(read_tensors(ModelFolder.open(self.root / self.config.start).weights))
        assert self.config.tagger is not None
        if self.config.tagger.layer:
            self._load_layer(model, self.root / self.config.tagger.layer)
        return model

    def _load_layer(self, model: TaggerNetwork, path: Path) -> None:
        """Loads the linear layer of another tagger."""
        other = folder.TaggerFolder.open(path)
        if other.vocabulary.tags != self.vocabulary.tags or other.encoder.config.width != model.config.width:
            raise ConfigError(f"the tagger in {path} has other tags than {self.tags_file}, or another width")
        with torch.no_grad():
            model.tag_layer.weight.copy_(torch.from_numpy(other.layer.weight))
            model.tag_layer.bias.copy_(torch.from_numpy(other.layer.bias))

    def new_loss(self, stage: StageConfig) -> TagLoss:
        return TagLoss(self.weights.model, stage.label_smoothing, self.config.run.compile)

    def new_evaluator(self) -> TagEvaluator:
        model = self.weights.model
        assert isinstance(model, TaggerNetwork)
        return TagEvaluator(self.config.dev, self.tokenizer, model, self.root, self.vocabulary, self.options)

    def plan_workers(self, stage: StageConfig, sources: dict[str, MixSource]) -> WorkerPlan:
        return replace(super().plan_workers(stage, sources), labels=TagLabels(self.tags_file))

    def write_model(self, path: Path) -> None:
        config = self.config
        info = ModelInfo(config.name, config.language, licence=config.licence)
        tokenizer = self.root / config.data.tokenizer
        card = write_card(config, self.position, self.source_credits, self.remark)
        weights, shape = self.weights.named(), self.model_config
        write_tagger(path, weights, shape, tokenizer, info, card, self.vocabulary, self.options)
