"""The shape of the model that a config describes, and the fingerprint of a run."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from redraft.checksum import checksum
from redraft.errors import ConfigError
from redraft.lab.train.config import TrainConfig
from redraft.model.config import ModelConfig, preset
from redraft.model.folder import ModelFolder
from redraft.tokens.tokenizer import Tokenizer


def read_model_config(config: TrainConfig, root: Path) -> ModelConfig:
    """The model config. Refuses one that does not fit the tokenizer or the data."""
    tokenizer, max_length = config.data.tokenizer, config.data.max_length
    size = Tokenizer.load(root / tokenizer).size
    changes = {key: value for key, value in config.model.items() if key != "preset"}
    if config.start:
        start = ModelFolder.open(root / config.start)
        _check_tokenizer(config, start, root)
        shape = ModelConfig.from_mapping({**start.config.to_mapping(), **changes})
    else:
        shape = preset(config.model["preset"], **{"vocabulary": size, **changes})
    if shape.vocabulary != size:
        raise ConfigError(f"the model has {shape.vocabulary} tokens, but {tokenizer} has {size}")
    if shape.max_tokens + 1 < max_length:
        raise ConfigError(
            f"data.max_length {max_length} is more than the model allows: max_tokens {shape.max_tokens} + 1"
        )
    return shape


def _check_tokenizer(config: TrainConfig, start: ModelFolder, root: Path) -> None:
    """Refuses another tokenizer than that of the weights to start from: its ids stand for other tokens."""
    if checksum(start.tokenizer) != checksum(root / config.data.tokenizer):
        raise ConfigError(
            f"{config.data.tokenizer} is not the tokenizer of {config.start}, where the run starts;"
            f" set data.tokenizer={config.start}/{start.tokenizer.name}"
        )


def make_fingerprint(config: TrainConfig, shape: ModelConfig, root: Path, processes: int = 1) -> str:
    """Checksum of what a checkpoint depends on: model, vocabularies and division of the data."""
    data = config.data
    facts = [shape.to_mapping(), data.pack_tokens, data.max_length, data.partitions, data.seed, processes]
    vocabularies = [data.tokenizer, *([config.tagger.tags] if config.tagger else [])]
    texts = ((root / name).read_text(encoding="utf-8") for name in vocabularies)
    return hashlib.sha256("".join((json.dumps(facts), *texts)).encode()).hexdigest()
