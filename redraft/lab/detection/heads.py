"""Linear heads on the states of an encoder layer: where a sentence has an error, and whether it has one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file

from redraft.errors import InputError

Floats = npt.NDArray[np.float32]
Measure = Literal["tokens", "pooled"]
"""How a gate judges a sentence: by its most suspicious token, or by a head on the mean and maximum of all states."""
WEIGHTS = "heads.safetensors"
DESCRIPTION = "heads.json"
_EPSILON = 1e-5


def normalize(states: Floats) -> Floats:
    """Layer normalization without weights."""
    centred = states - states.mean(axis=-1, keepdims=True)
    scale = np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + np.float32(_EPSILON))
    normal: Floats = centred / scale
    return normal


def pool(normal: Floats) -> Floats:
    """Mean and maximum of the normalized states of a sentence, one after the other."""
    return np.concatenate((normal.mean(axis=0), normal.max(axis=0)))


def sigmoid(logits: Floats) -> Floats:
    """Computed from tanh, which does not overflow."""
    probabilities: Floats = np.float32(0.5) * (1 + np.tanh(np.float32(0.5) * logits))
    return probabilities


@dataclass(frozen=True, slots=True)
class Heads:
    """The heads of one layer. What they say of a sentence is computed from the states of this sentence alone."""

    layer: int
    """Layers of the encoder that are computed before the states."""
    token_weights: Floats
    token_bias: Floats
    sentence_weights: Floats
    sentence_bias: Floats

    def error_probabilities(self, states: Floats) -> Floats:
        """For each token and <eos>: the probability that an edit begins at it."""
        return sigmoid(normalize(states) @ self.token_weights + self.token_bias)

    def clean_probability(self, states: Floats, measure: Measure) -> float:
        """The probability that there is nothing to correct in the sentence with these states."""
        if measure == "tokens":
            return float(1 - self.error_probabilities(states).max())
        return float(1 - sigmoid(pool(normalize(states)) @ self.sentence_weights + self.sentence_bias))


@dataclass(frozen=True, slots=True)
class HeadsInfo:
    """What heads were trained on."""

    model: str
    width: int
    labels: str
    """`pair`: edits of the training pairs; `model`: edits that the model itself makes."""
    sentences: int


def write_heads(folder: Path, heads: Sequence[Heads], info: HeadsInfo) -> None:
    """Writes a safetensors file with the weights and a JSON file with the description."""
    folder.mkdir(parents=True, exist_ok=True)
    tensors = {f"{one.layer}.{name}": value for one in heads for name, value in _parts(one).items()}
    save_file(tensors, folder / WEIGHTS)
    described = {**asdict(info), "layers": [one.layer for one in heads]}
    (folder / DESCRIPTION).write_text(json.dumps(described, indent=2) + "\n", encoding="utf-8")


def read_heads(folder: Path, width: int, depth: int) -> dict[int, Heads]:
    """The heads in a folder by their layer, for an encoder of this width and depth."""
    try:
        described = json.loads((folder / DESCRIPTION).read_text(encoding="utf-8"))
        tensors = load_file(folder / WEIGHTS)
        found = {layer: Heads(layer, **_read_parts(tensors, layer)) for layer in map(int, described["layers"])}
    except (OSError, ValueError, TypeError, KeyError, SafetensorError) as error:
        raise InputError(f"{folder}: these are not heads for error detection ({error}); train them again") from None
    expected = {"token_weights": (width,), "token_bias": (), "sentence_weights": (2 * width,), "sentence_bias": ()}
    for layer, heads in found.items():
        shapes = {name: value.shape for name, value in _parts(heads).items()}
        if shapes != expected or not 1 <= layer <= depth:
            raise InputError(f"{folder}: the heads of layer {layer} are not for this model; train them on its states")
    return found


def _parts(heads: Heads) -> dict[str, Floats]:
    return {name: np.asarray(getattr(heads, name), dtype=np.float32) for name in _NAMES}


def _read_parts(tensors: dict[str, Any], layer: int) -> dict[str, Floats]:
    return {name: tensors[f"{layer}.{name}"].astype(np.float32) for name in _NAMES}


_NAMES = ("token_weights", "token_bias", "sentence_weights", "sentence_bias")
