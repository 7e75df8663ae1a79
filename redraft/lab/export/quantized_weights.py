"""Copy of a model folder with matrices of 8-bit integers: half the size, and faster to open."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors.numpy import load_file, save_file

from redraft.errors import ModelError
from redraft.lab.export.onnx_graph import export
from redraft.model.folder import (
    CARD,
    CONFIG,
    FINENESS,
    LEVELS,
    TOKENIZER,
    WEIGHTS,
    WORDS,
    ModelFolder,
    rest_of,
    scale_of,
    seal,
)

_SMALLEST = np.float32(1e-30)
_TABLES = ("embedding.weight", "positions.weight")
"""Lookup tables. No sum averages out the rounding of their rows, so they keep a second byte."""


def export_quantized(folder: ModelFolder, path: Path, *, lean: bool = False) -> ModelFolder:
    """Writes the model with quantized matrices and its graphs to a new folder at `path`.

    With `lean`, tables have no second byte.
    """
    return export(write_quantized(folder, path, lean=lean))


def write_quantized(folder: ModelFolder, path: Path, *, lean: bool = False) -> ModelFolder:
    """The same without graphs, for the native engine."""
    if path.exists() and any(path.iterdir()):
        raise ModelError(f"{path} is not empty; use a new folder for the quantized model")
    path.mkdir(parents=True, exist_ok=True)
    for name in {CONFIG, TOKENIZER, CARD, WORDS} & folder.files:
        shutil.copyfile(folder.path / name, path / name)
    tensors: dict[str, npt.NDArray[Any]] = {}
    for name, tensor in load_file(folder.weights).items():
        if lean and name.endswith(tuple(map(rest_of, _TABLES))):
            continue
        tensors[name] = tensor
        if tensor.ndim == 2 and tensor.dtype != np.int8:
            quantized = quantize(tensor)
            tensors[name], tensors[scale_of(name)] = quantized.values, quantized.scales
            if name.endswith(_TABLES) and not lean:
                tensors[rest_of(name)] = quantized.rest
    save_file(tensors, path / WEIGHTS)
    (path / WEIGHTS).chmod(0o644)
    return seal(path)


@dataclass(frozen=True, slots=True)
class Quantized:
    """Rows of integers, the scale of each row, and the second byte that refines each integer."""

    values: npt.NDArray[np.int8]
    scales: npt.NDArray[np.float32]
    rest: npt.NDArray[np.int8]


def quantize(matrix: npt.NDArray[Any]) -> Quantized:
    exact = matrix.astype(np.float32)
    scales = np.maximum(np.abs(exact).max(axis=1), _SMALLEST) / np.float32(LEVELS)
    scaled = exact / scales[:, None]
    values = np.round(scaled)
    rest = np.round((scaled - values) * np.float32(FINENESS))
    return Quantized(values.astype(np.int8), scales, rest.astype(np.int8))
