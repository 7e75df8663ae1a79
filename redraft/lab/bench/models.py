"""Models for measurements: untrained ones of any shape, and a trained one with other position embeddings."""

from __future__ import annotations

import math
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors.numpy import save_file

from redraft.errors import ConfigError
from redraft.lab.export.onnx_graph import export
from redraft.model.config import ModelConfig
from redraft.model.folder import CARD, LEVELS, TOKENIZER, WEIGHTS, ModelFolder, ModelInfo, scale_of, seal, write_config

SEED = 5


def write_untrained(path: Path, config: ModelConfig, tokenizer: Path) -> ModelFolder:
    """A model folder of this shape with random weights, stored as 8-bit integers."""
    path.mkdir(parents=True)
    random = np.random.default_rng(SEED)
    tensors: dict[str, npt.NDArray[Any]] = {}
    for name, shape in config.tensors():
        if len(shape) == 1:
            tensors[name] = np.full(shape, name.endswith("norm.weight"), dtype=np.float32)
            continue
        tensors[name] = random.integers(-LEVELS, LEVELS, shape, dtype=np.int8, endpoint=True)
        # The usual initial size: a variance of one over the width.
        tensors[scale_of(name)] = np.full(shape[0], math.sqrt(3 / shape[1]) / LEVELS, dtype=np.float32)
    save_file(tensors, path / WEIGHTS)
    return _finish(path, config, tokenizer)


def write_sinusoidal(folder: ModelFolder, path: Path) -> ModelFolder:
    """A copy of a model with sinusoidal positions added to the embeddings, as other libraries have them.

    Its output makes no sense, since it was trained with rotary positions. Its computation takes as long.
    """
    config = replace(folder.config, positions="sinusoidal")
    if (config.norm, config.tie_output, config.output_bias, config.norm_embedding) != ("pre", True, False, False):
        raise ConfigError("only models with the normalization before each layer and a tied output can be compared")
    path.mkdir(parents=True)
    shutil.copyfile(folder.weights, path / WEIGHTS)
    return _finish(path, config, folder.tokenizer)


def _finish(path: Path, config: ModelConfig, tokenizer: Path) -> ModelFolder:
    shutil.copyfile(tokenizer, path / TOKENIZER)
    write_config(path, ModelInfo("measured", "en", "A model for measurements; it corrects nothing."), config)
    (path / CARD).write_text("A model for measurements; it corrects nothing.\n", encoding="utf-8")
    return export(seal(path))
