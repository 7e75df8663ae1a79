"""Models made for a measurement: without training, of any shape, or the same weights read in another way."""

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
    """A folder with a network of this shape, whose weights are random and stored as 8-bit integers."""
    path.mkdir(parents=True)
    random = np.random.default_rng(SEED)
    tensors: dict[str, npt.NDArray[Any]] = {}
    for name, shape in config.tensors():
        if len(shape) == 1:
            tensors[name] = np.full(shape, name.endswith("norm.weight"), dtype=np.float32)
            continue
        tensors[name] = random.integers(-LEVELS, LEVELS, shape, dtype=np.int8, endpoint=True)
        # As large as usual at the start: a variance of one over the width.
        tensors[scale_of(name)] = np.full(shape[0], math.sqrt(3 / shape[1]) / LEVELS, dtype=np.float32)
    save_file(tensors, path / WEIGHTS)
    return _finish(path, config, tokenizer)


def write_sinusoidal(folder: ModelFolder, path: Path) -> ModelFolder:
    """The same weights in a network whose positions are added to the embeddings, as other libraries have them.

    What it writes makes no sense, since it was trained with rotary positions. What it computes costs the same.
    """
    config = replace(folder.config, positions="sinusoidal")
    if (config.norm, config.tie_output, config.output_bias, config.norm_embedding) != ("pre", True, False, False):
        raise ConfigError("only models with the normalization before each layer and a tied output can be compared")
    path.mkdir(parents=True)
    shutil.copyfile(folder.weights, path / WEIGHTS)
    return _finish(path, config, folder.tokenizer)


def _finish(path: Path, config: ModelConfig, tokenizer: Path) -> ModelFolder:
    shutil.copyfile(tokenizer, path / TOKENIZER)
    write_config(path, ModelInfo("measured", "en", "Made for a measurement; it corrects nothing."), config)
    (path / CARD).write_text("Made for a measurement; it corrects nothing.\n", encoding="utf-8")
    return export(seal(path))
