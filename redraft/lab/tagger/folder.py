"""The folder of a tagger.

    tagger.json             defaults of its options, and SHA-256 of the two files below
    tags.json               tags and forms of words
    tag_layer.safetensors   weight and bias of the linear layer
    encoder/                a model folder with the encoder and the tokenizer

Model folders and engines need a decoder, so `encoder/` has one of a single layer whose weights are zero. Nothing runs
it, and the tagger's folder itself is no model folder: commands that need a corrector refuse it.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
from safetensors.numpy import load_file, save_file

from redraft.atomic_write import atomic_write
from redraft.checksum import checksum
from redraft.errors import ConfigError, ModelError
from redraft.lab.tagger.vocabulary import TagVocabulary
from redraft.model.folder import ModelFolder
from redraft.settings_reader import Range, check_ranges, read_settings
from redraft.strict_json import file_size, read_object

FORMAT = 1
SETTINGS, TAGS, LAYER, ENCODER = "tagger.json", "tags.json", "tag_layer.safetensors", "encoder"
WEIGHT, BIAS = "weight", "bias"
_MOST_BYTES: Mapping[str, int] = {SETTINGS: 1 << 16, TAGS: 1 << 26, LAYER: 1 << 28}

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class TaggerOptions:
    min_probability: Annotated[float, Range(min=0, max=1)] = 0.0
    """Less likely tags are not applied."""
    min_error_probability: Annotated[float, Range(min=0, max=1)] = 0.0
    """A sentence is left alone if no word of it is wrong with at least this probability, 1 - P(KEEP)."""
    max_passes: Annotated[int, Range(min=1, max=10)] = 3

    def __post_init__(self) -> None:
        check_ranges(self)


@dataclass(frozen=True, slots=True)
class _Settings:
    """The contents of tagger.json."""

    options: TaggerOptions
    checksums: Mapping[str, str]
    format: int


@dataclass(frozen=True, slots=True)
class TagLayer:
    weight: Floats  # (tags, width)
    bias: Floats  # (tags,)


@dataclass(frozen=True, slots=True)
class TaggerFolder:
    """A tagger's folder whose files have been checked."""

    path: Path
    options: TaggerOptions
    vocabulary: TagVocabulary
    layer: TagLayer
    encoder: ModelFolder

    @classmethod
    def open(cls, path: Path) -> TaggerFolder:
        if not (path / SETTINGS).exists():
            raise ModelError(f"{path} has no {SETTINGS}: it is not a complete folder of a tagger")
        settings = _read_settings(path / SETTINGS)
        for name in (TAGS, LAYER):
            file_size(path / name, _MOST_BYTES[name])
            if checksum(path / name) != settings.checksums.get(name):
                raise ModelError(f"{path / name} is damaged: its SHA-256 is not the one in {SETTINGS}")
        vocabulary, encoder = TagVocabulary.read(path / TAGS), ModelFolder.open(path / ENCODER)
        layer = _read_layer(path / LAYER, len(vocabulary.tags), encoder.config.width)
        return cls(path, settings.options, vocabulary, layer, encoder)


def seal(path: Path, options: TaggerOptions) -> TaggerFolder:
    """Writes the settings of a folder whose other files are complete, and opens the folder to check it."""
    checksums = {name: checksum(path / name) for name in (TAGS, LAYER)}
    values = {"format": FORMAT, "options": asdict(options), "checksums": checksums}
    with atomic_write(path / SETTINGS) as partial:
        partial.write_text(json.dumps(values, indent=2) + "\n", encoding="utf-8")
    return TaggerFolder.open(path)


def write_layer(path: Path, weight: npt.NDArray[Any], bias: npt.NDArray[Any]) -> None:
    save_file({WEIGHT: weight.astype(np.float16), BIAS: bias.astype(np.float16)}, path)


def quantize_tagger(folder: TaggerFolder, path: Path) -> TaggerFolder:
    """Writes the tagger with an encoder in 8-bit integers, as the native engine needs it, to a new folder at `path`."""
    from redraft.lab.export.quantized_weights import write_quantized  # needs ONNX

    write_quantized(folder.encoder, path / ENCODER)
    for name in (TAGS, LAYER):
        shutil.copyfile(folder.path / name, path / name)
    return seal(path, folder.options)


def _read_settings(path: Path) -> _Settings:
    values = read_object(path, _MOST_BYTES[SETTINGS])
    if values.get("format") != FORMAT:
        raise ModelError(f"{path} is not of format {FORMAT}; train the tagger again")
    try:
        return read_settings(_Settings, values)
    except ConfigError as error:
        raise ModelError(f"{path}: {error}") from None


def _read_layer(path: Path, tags: int, width: int) -> TagLayer:
    tensors = load_file(path)
    shapes = {name: tensor.shape for name, tensor in tensors.items()}
    if shapes != {WEIGHT: (tags, width), BIAS: (tags,)}:
        raise ModelError(f"{path} does not fit {tags} tags and an encoder of width {width}")
    layer = TagLayer(*(np.ascontiguousarray(tensors[name], dtype=np.float32) for name in (WEIGHT, BIAS)))
    if not (np.isfinite(layer.weight).all() and np.isfinite(layer.bias).all()):
        raise ModelError(f"{path} has numbers that are not finite")
    return layer
