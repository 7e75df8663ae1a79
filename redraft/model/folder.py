"""Reads and checks model folders.

    config.json          name, language and defaults of the model, and the shape of its network
    weights.safetensors  every tensor, once
    tokenizer.json       the vocabulary
    encoder.onnx, decoder.onnx            graphs that read the tensors from weights.safetensors (optional),
    encoder.int8.onnx, decoder.int8.onnx  in single precision and in 8-bit integers
    card.md              training data, licence and scores
    manifest.json        SHA-256 of each of these files

A matrix may be stored as 8-bit integers. A tensor with the name of the matrix and `.scale` then has the scale of each
row; an optional one with `.rest` refines the integers, in fractions of 1/`FINENESS`.
Nothing is inferred from file names, pickles are refused, and so are unknown keys and tensors of the wrong shape.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Literal

from redraft.atomic_write import atomic_write
from redraft.checksum import checksum
from redraft.errors import ConfigError, ModelError
from redraft.model.config import ModelConfig

FORMAT = 1
CONFIG, WEIGHTS, TOKENIZER, CARD, MANIFEST = (
    "config.json",
    "weights.safetensors",
    "tokenizer.json",
    "card.md",
    "manifest.json",
)


@dataclass(frozen=True, slots=True)
class GraphNames:
    encoder: str
    decoder: str


Precision = Literal["int8", "fp32"]
GRAPHS: Mapping[Precision, GraphNames] = {
    "int8": GraphNames("encoder.int8.onnx", "decoder.int8.onnx"),
    "fp32": GraphNames("encoder.onnx", "decoder.onnx"),
}
"""The files with the graphs of each precision; the default precision comes first."""
LEVELS = 127
"""The greatest absolute value of an integer in a quantized matrix."""
FINENESS = 254
"""The number of finer steps between two integers; half of them are on either side of an integer."""
LEVELS_OUTPUT = "levels"
"""An output of the 8-bit encoder graph: the greatest integer of the activations, which depends on the processor."""
_REQUIRED = (CONFIG, WEIGHTS, TOKENIZER, CARD)
_OPTIONAL = tuple(name for names in GRAPHS.values() for name in (names.encoder, names.decoder))
_PICKLED = {".bin", ".ckpt", ".joblib", ".pickle", ".pkl", ".pt", ".pth"}
_DTYPES = {"F16": 2, "BF16": 2, "F32": 4, "I8": 1}
_LONGEST_HEADER = 16_000_000


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """Name, language and defaults of a model, from its config."""

    name: str
    language: str
    summary: str = ""
    licence: str = ""
    threshold: float = 0.0
    """Default confidence threshold: edits of less confidence are left out."""
    longest_new_word: int = 0
    """Most tokens of a word that an edit may add; 0 for no limit. A word of more tokens is so rare that it is seldom
    right, and often no word at all. Where only capitals change, the limit is half as high."""

    def __post_init__(self) -> None:
        if not 0 <= self.threshold <= 1:
            raise ConfigError(f"model info: threshold must lie between 0 and 1, not {self.threshold}")
        if self.longest_new_word < 0:
            raise ConfigError(f"model info: longest_new_word must not be negative, but is {self.longest_new_word}")


@dataclass(frozen=True, slots=True)
class Tensor:
    """Type, shape and position of a tensor in the weights file."""

    dtype: str
    shape: tuple[int, ...]
    offset: int
    length: int


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """A model folder whose files have been checked."""

    path: Path
    info: ModelInfo
    config: ModelConfig
    tensors: Mapping[str, Tensor]
    eos: int = 2

    @classmethod
    def open(cls, path: Path, verify: bool = True) -> ModelFolder:
        """Opens a folder and checks its files; `verify=False` skips the checksums only."""
        if not path.is_dir():
            raise ModelError(f"{path} is not a model folder")
        _refuse_pickles(path)
        manifest = _read_json(path / MANIFEST)
        for name in _REQUIRED:
            if name not in manifest:
                raise ModelError(f"{path / MANIFEST} does not list {name}")
        for name, expected in manifest.items():
            _check_file(path / name, str(expected), verify)
        info, config = _read_config(path / CONFIG)
        tensors = read_header(path / WEIGHTS)
        _check_tensors(path / WEIGHTS, tensors, config)
        return cls(path, info, config, tensors)

    @property
    def weights(self) -> Path:
        return self.path / WEIGHTS

    @property
    def tokenizer(self) -> Path:
        return self.path / TOKENIZER

    @property
    def card(self) -> Path:
        return self.path / CARD

    @property
    def parameters(self) -> int:
        return sum(math.prod(shape) for _, shape in self.config.tensors())

    @property
    def precisions(self) -> tuple[Precision, ...]:
        """The precisions for which the folder has graphs."""
        return tuple(
            precision
            for precision, names in GRAPHS.items()
            if all((self.path / name).is_file() for name in (names.encoder, names.decoder))
        )

    def graph(self, name: str) -> Path:
        graph = self.path / name
        if not graph.is_file():
            raise ModelError(f"{self.path} has no {name}; make its graphs with `redraft export {self.path}`")
        return graph


def scale_of(name: str) -> str:
    """Name of the tensor with the scales of a quantized matrix."""
    return f"{name}.scale"


def rest_of(name: str) -> str:
    """Name of the tensor that refines a quantized matrix."""
    return f"{name}.rest"


def write_config(path: Path, info: ModelInfo, config: ModelConfig) -> None:
    values = {"format": FORMAT, "info": asdict(info), "model": config.to_mapping()}
    (path / CONFIG).write_text(json.dumps(values, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def seal(path: Path) -> ModelFolder:
    """Writes the manifest of a folder whose files are complete, and opens the folder to check it."""
    missing = [name for name in _REQUIRED if not (path / name).is_file()]
    if missing:
        raise ModelError(f"{path} lacks {', '.join(missing)}")
    present = [name for name in (*_REQUIRED, *_OPTIONAL) if (path / name).is_file()]
    text = json.dumps({name: checksum(path / name) for name in present}, indent=2) + "\n"
    with atomic_write(path / MANIFEST) as partial:
        partial.write_text(text, encoding="utf-8")
        partial.chmod(0o644)
    return ModelFolder.open(path)


def read_header(path: Path) -> dict[str, Tensor]:
    """The tensors of a safetensors file, without their values."""
    with path.open("rb") as file:
        start = file.read(8)
        size = int.from_bytes(start, "little")
        if len(start) < 8 or not 2 <= size <= min(_LONGEST_HEADER, path.stat().st_size):
            if start[:1] == b"\x80" or start[:2] == b"PK":
                raise ModelError(f"{path} is a pickle, which could run code when opened; only safetensors are read")
            raise ModelError(f"{path} is not a safetensors file")
        try:
            header: dict[str, Any] = json.loads(file.read(size))
            header.pop("__metadata__", None)
            return {name: _tensor(entry, 8 + size) for name, entry in header.items()}
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ModelError(f"{path} has a damaged header: {error}") from error


def _tensor(entry: Mapping[str, Any], data: int) -> Tensor:
    start, end = entry["data_offsets"]
    return Tensor(entry["dtype"], tuple(entry["shape"]), data + start, end - start)


def _refuse_pickles(path: Path) -> None:
    for file in path.iterdir():
        if file.suffix in _PICKLED:
            raise ModelError(f"{file} looks like a pickle, which could run code when opened; remove it from the folder")


def _read_json(path: Path) -> dict[str, Any]:
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ModelError(f"{path.parent} has no {path.name}: it is not a complete model folder") from None
    except (OSError, ValueError) as error:
        raise ModelError(f"{path} cannot be read: {error}") from error
    if not isinstance(values, dict):
        raise ModelError(f"{path} must hold a JSON object")
    return values


def _check_file(path: Path, expected: str, verify: bool) -> None:
    if path.name not in (*_REQUIRED, *_OPTIONAL):
        raise ModelError(f"{path.parent / MANIFEST} lists {path.name!r}, which is no part of a model folder")
    if not path.is_file():
        raise ModelError(f"{path} is missing")
    if verify and checksum(path) != expected:
        raise ModelError(f"{path} is damaged: its SHA-256 is not the one in {MANIFEST}; fetch the model again")


def _read_config(path: Path) -> tuple[ModelInfo, ModelConfig]:
    values = _read_json(path)
    unknown = sorted(set(values) - {"format", "info", "model"})
    if unknown:
        raise ModelError(f"{path}: unknown key {unknown[0]!r}")
    if values.get("format") != FORMAT:
        raise ModelError(f"{path} has format {values.get('format')!r}; this version of Redraft reads format {FORMAT}")
    info = values.get("info", {})
    unknown = sorted(set(info) - {field.name for field in fields(ModelInfo)})
    if unknown:
        raise ModelError(f"{path}: unknown key {unknown[0]!r} in info")
    try:
        return ModelInfo(**info), ModelConfig.from_mapping(values.get("model", {}))
    except (ConfigError, TypeError) as error:
        raise ModelError(f"{path}: {error}") from error


def _check_tensors(path: Path, tensors: Mapping[str, Tensor], config: ModelConfig) -> None:
    expected = dict(config.tensors())
    for name, shape in config.tensors():
        if name in tensors and tensors[name].dtype == "I8" and len(shape) == 2:
            expected[scale_of(name)] = shape[:1]
            if rest_of(name) in tensors:
                expected[rest_of(name)] = shape
    missing, extra = sorted(expected.keys() - tensors.keys()), sorted(tensors.keys() - expected.keys())
    if missing:
        raise ModelError(f"{path} lacks the tensor {missing[0]!r}" + _and_more(missing))
    if extra:
        raise ModelError(f"{path} has an unknown tensor {extra[0]!r}" + _and_more(extra))
    end = path.stat().st_size
    for name, tensor in tensors.items():
        if tensor.shape != expected[name]:
            raise ModelError(f"{path}: {name} has the shape {tensor.shape}, the config asks for {expected[name]}")
        if tensor.dtype not in _DTYPES:
            raise ModelError(f"{path}: {name} has the type {tensor.dtype}; known types: {', '.join(_DTYPES)}")
        if tensor.dtype == "I8" and len(tensor.shape) != 2:
            raise ModelError(f"{path}: {name} is no matrix and cannot be stored as I8")
        size = _DTYPES[tensor.dtype] * math.prod(tensor.shape)
        if tensor.length != size or tensor.offset + tensor.length > end:
            raise ModelError(f"{path}: {name} is cut off")


def _and_more(names: list[str]) -> str:
    return f" and {len(names) - 1} more" if len(names) > 1 else ""
