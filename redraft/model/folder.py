"""Reads and checks model folders.

    config.json          name, language and defaults of the model, and the shape of its network
    weights.safetensors  every tensor, once
    tokenizer.json       the vocabulary
    encoder.onnx, decoder.onnx            graphs that read the tensors from weights.safetensors (optional),
    encoder.int8.onnx, decoder.int8.onnx  in single precision and in 8-bit integers
    words.bloom          the words of the training text (optional), see known_words.py
    card.md              training data, licence and scores
    manifest.json        SHA-256 of each of these files

A matrix may be stored as 8-bit integers. A tensor with the name of the matrix and `.scale` then has the scale of each
row; an optional one with `.rest` refines the integers, in fractions of 1/`FINENESS`.
Nothing is inferred from file names, pickles are refused, and so are unknown keys and tensors of the wrong shape.
A folder may come from anyone: sizes are limited (SECURITY.md lists the limits), and only regular files that the
manifest lists are read. A problem is a ModelError of one line.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from redraft.atomic_write import atomic_write
from redraft.checksum import checksum
from redraft.errors import ConfigError, ModelError, one_line
from redraft.model.config import ModelConfig
from redraft.model.known_words import KnownWords
from redraft.settings_reader import Range, check_ranges, read_settings
from redraft.strict_json import file_size, parse_object, read_object

FORMAT = 1
CONFIG, WEIGHTS, TOKENIZER, WORDS, CARD, MANIFEST = (
    "config.json",
    "weights.safetensors",
    "tokenizer.json",
    "words.bloom",
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
_OPTIONAL = (WORDS, *(name for names in GRAPHS.values() for name in (names.encoder, names.decoder)))
_PICKLED = {".bin", ".ckpt", ".joblib", ".pickle", ".pkl", ".pt", ".pth"}
_DTYPES = {"F16": 2, "BF16": 2, "F32": 4, "I8": 1}
MOST_BYTES: Mapping[str, int] = {
    MANIFEST: 1 << 16,
    CONFIG: 1 << 16,
    CARD: 1 << 20,
    TOKENIZER: 1 << 24,
    **dict.fromkeys(_OPTIONAL, 1 << 24),
    WEIGHTS: 1 << 33,
}
"""The largest size of each file."""
LONGEST_HEADER = 1 << 22
"""The largest header of a weights file, in bytes: three times that of 200 layers on either side."""
_CHECKSUM = re.compile(r"[0-9a-f]{64}")
_LANGUAGE = re.compile(r"[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*")
_LONGEST_TEXT = 1000


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """Name, language and defaults of a model, from its config."""

    name: str
    language: str
    summary: str = ""
    licence: str = ""
    threshold: Annotated[float, Range(min=0, max=1)] = 0.0
    """Default confidence threshold: edits of less confidence are left out."""
    longest_new_word: Annotated[int, Range(min=0, max=1000)] = 0
    """Most tokens of a word that an edit may add; 0 for no limit. A word of more tokens is so rare that it is seldom
    right, and often no word at all. Where only capitals change, the limit is half as high."""

    def __post_init__(self) -> None:
        check_ranges(self)
        if not _LANGUAGE.fullmatch(self.language):
            raise ConfigError(f"language must be a code such as en or zh-CN, not {self.language[:60]!r}")
        for name, text in (("name", self.name), ("summary", self.summary), ("licence", self.licence)):
            if len(text) > _LONGEST_TEXT or not text.isprintable():
                raise ConfigError(f"{name} must be one line of at most {_LONGEST_TEXT} characters, not {text[:60]!r}")


@dataclass(frozen=True, slots=True)
class _ConfigFile:
    """The contents of config.json."""

    info: ModelInfo
    model: ModelConfig
    format: int = FORMAT


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
    files: frozenset[str] = frozenset()
    """Names of the files that the manifest lists."""
    eos: int = 2

    @classmethod
    def open(cls, path: Path, verify: bool = True) -> ModelFolder:
        """Opens a folder and checks its files; `verify=False` skips the checksums only."""
        if not path.is_dir():
            raise ModelError(f"{path} is not a model folder")
        _refuse_pickles(path)
        manifest = _read_manifest(path / MANIFEST)
        for name in manifest:
            file_size(path / name, MOST_BYTES[name])
        # The checksum of the weights comes last: it takes long, and files that do not fit together need none.
        if verify:
            _check_sums(path, {name: sum_ for name, sum_ in manifest.items() if name != WEIGHTS})
        contents = _read_config(path / CONFIG)
        tensors = read_header(path / WEIGHTS)
        _check_tensors(path / WEIGHTS, tensors, contents.model)
        if verify:
            _check_sums(path, {WEIGHTS: manifest[WEIGHTS]})
        return cls(path, contents.info, contents.model, tensors, frozenset(manifest))

    @property
    def weights(self) -> Path:
        return self.path / WEIGHTS

    @property
    def tokenizer(self) -> Path:
        return self.path / TOKENIZER

    @property
    def known_words(self) -> KnownWords | None:
        """The words of the training text, if the folder has them."""
        return KnownWords.read(self.path / WORDS) if WORDS in self.files else None

    @property
    def card(self) -> Path:
        return self.path / CARD

    @property
    def parameters(self) -> int:
        return sum(math.prod(shape) for _, shape in self.config.tensors())

    @property
    def precisions(self) -> tuple[Precision, ...]:
        """The precisions for which the folder has graphs."""
        return tuple(precision for precision, names in GRAPHS.items() if {names.encoder, names.decoder} <= self.files)

    def graph(self, name: str) -> Path:
        graph = self.path / name
        if name not in self.files:
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
    """The tensors of a safetensors file, without their values. Together they fill the file, and none overlap."""
    end = file_size(path, MOST_BYTES[WEIGHTS])
    with path.open("rb") as file:
        start = file.read(8)
        size = int.from_bytes(start, "little")
        if len(start) < 8 or not 2 <= size <= min(LONGEST_HEADER, end - 8):
            if start[:1] == b"\x80" or start[:2] == b"PK":
                raise ModelError(f"{path} is a pickle, which could run code when opened; only safetensors are read")
            raise ModelError(f"{path} is not a safetensors file")
        try:
            header = parse_object(file.read(size))
            header.pop("__metadata__", None)
            tensors = {name: _read_tensor(name, entry, 8 + size) for name, entry in header.items()}
            _check_offsets(tensors, 8 + size, end)
        except ValueError as error:
            raise ModelError(f"{path} has a damaged header: {one_line(error)}") from None
    return tensors


def _read_tensor(name: str, entry: Any, data: int) -> Tensor:
    if not isinstance(entry, dict) or entry.keys() != {"dtype", "shape", "data_offsets"}:
        raise ValueError(f"{name!r} must have dtype, shape and data_offsets")
    dtype, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not isinstance(dtype, str) or not _are_sizes(shape) or not _are_sizes(offsets) or len(offsets) != 2:
        raise ValueError(f"{name!r} must have a dtype in quotes, and whole numbers as shape and data_offsets")
    return Tensor(dtype, tuple(shape), data + offsets[0], offsets[1] - offsets[0])


def _are_sizes(values: Any) -> bool:
    return isinstance(values, list) and all(type(value) is int and value >= 0 for value in values)


def _check_offsets(tensors: Mapping[str, Tensor], start: int, end: int) -> None:
    """Tensors that overlap could name more data than the file has."""
    for name, tensor in sorted(tensors.items(), key=lambda item: (item[1].offset, item[1].length)):
        if tensor.offset != start or tensor.length < 0:
            raise ValueError(f"the data of {name!r} does not begin where the data before it ends")
        start += tensor.length
    if start != end:
        raise ValueError(f"the data of all tensors ends at byte {start}, the file at byte {end}")


def _refuse_pickles(path: Path) -> None:
    for file in path.iterdir():
        if file.suffix in _PICKLED:
            raise ModelError(f"{file} looks like a pickle, which could run code when opened; remove it from the folder")


def _read_manifest(path: Path) -> dict[str, str]:
    """SHA-256 of each file, by name."""
    if not path.exists():
        raise ModelError(f"{path.parent} has no {path.name}: it is not a complete model folder")
    manifest = read_object(path, MOST_BYTES[MANIFEST])
    for name in _REQUIRED:
        if name not in manifest:
            raise ModelError(f"{path} does not list {name}")
    for name, expected in manifest.items():
        if name not in (*_REQUIRED, *_OPTIONAL):
            raise ModelError(f"{path} lists {name[:60]!r}, which is no part of a model folder")
        if not isinstance(expected, str) or not _CHECKSUM.fullmatch(expected):
            raise ModelError(f"{path}: the entry of {name} must be a SHA-256 of 64 hexadecimal digits")
    return manifest


def _check_sums(path: Path, manifest: Mapping[str, str]) -> None:
    for name, expected in manifest.items():
        if checksum(path / name) != expected:
            raise ModelError(
                f"{path / name} is damaged: its SHA-256 is not the one in {MANIFEST}; fetch the model again"
            )


def _read_config(path: Path) -> _ConfigFile:
    values = read_object(path, MOST_BYTES[CONFIG])
    if values.get("format") != FORMAT:
        found = one_line(repr(values.get("format")), 60)
        raise ModelError(f"{path} has format {found}; this version of Redraft reads format {FORMAT}")
    try:
        return read_settings(_ConfigFile, values)
    except ConfigError as error:
        raise ModelError(f"{path}: {one_line(error)}") from None


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
        raise ModelError(f"{path} has an unknown tensor {extra[0][:100]!r}" + _and_more(extra))
    for name, tensor in tensors.items():
        if tensor.shape != expected[name]:
            found = one_line(tensor.shape, 60)
            raise ModelError(f"{path}: {name} has the shape {found}, the config asks for {expected[name]}")
        if tensor.dtype not in _DTYPES:
            dtype = one_line(tensor.dtype, 60)
            raise ModelError(f"{path}: {name} has the type {dtype}; known types: {', '.join(_DTYPES)}")
        if tensor.dtype != "I8" and name.endswith(".rest"):
            raise ModelError(f"{path}: {name} has the type {tensor.dtype}; it must be I8")
        if tensor.dtype == "I8" and len(tensor.shape) != 2:
            raise ModelError(f"{path}: {name} is no matrix and cannot be stored as I8")
        size = _DTYPES[tensor.dtype] * math.prod(tensor.shape)
        if tensor.length != size:
            raise ModelError(f"{path}: {name} has {tensor.length} bytes; its shape and type take {size}")


def _and_more(names: list[str]) -> str:
    return f" and {len(names) - 1} more" if len(names) > 1 else ""
