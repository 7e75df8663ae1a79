"""Checkpoints: one safetensors file each, with the tensors and the position of the run together."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, TypeVar

from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from redraft.atomic_write import atomic_write
from redraft.errors import InputError

FORMAT = 3
LAST, PREVIOUS = "last.safetensors", "previous.safetensors"
Read = TypeVar("Read")
STATE = "redraft"
"""Key of the position in the metadata of a checkpoint."""


@dataclass(slots=True)
class Position:
    """How far training is."""

    stage: int = 0
    step: int = 0
    """Steps of this stage."""
    seconds: float = 0.0
    """Time spent in this stage."""
    passes: int = 0
    """Forward passes of this process in this stage."""
    packs: int = 0
    """Packs that this process took from its workers in this stage."""
    partitions: dict[int, list[int]] = field(default_factory=dict)
    """Counters of each partition of the data: how many pairs were read from it."""
    all_steps: int = 0
    pairs: int = 0
    tokens: int = 0
    skipped: int = 0
    average_updates: int = 0
    best: float = -1.0
    """Best dev score of this stage."""
    since_best: int = 0
    """Number of evaluations since the best one."""

    def next_stage(self) -> None:
        fresh = Position(stage=self.stage + 1, all_steps=self.all_steps, pairs=self.pairs, tokens=self.tokens)
        for entry in fields(self):
            setattr(self, entry.name, getattr(fresh, entry.name))


@dataclass(frozen=True, slots=True)
class Checkpoint:
    position: Position
    tensors: dict[str, Tensor]

    def part(self, prefix: str) -> dict[str, Tensor]:
        """Tensors whose names begin with a prefix and a dot, under the rest of their names."""
        start = f"{prefix}."
        return {name.removeprefix(start): tensor for name, tensor in self.tensors.items() if name.startswith(start)}


def save(folder: Path, position: Position, tensors: Mapping[str, Tensor], fingerprint: str) -> Path:
    """Writes the last checkpoint and keeps the one before it. A crash at any moment leaves one of them whole."""
    last = folder / LAST
    folder.mkdir(parents=True, exist_ok=True)

    def keep_previous() -> None:
        if last.exists():
            last.replace(folder / PREVIOUS)

    with atomic_write(last, durable=True, before_replacing=keep_previous) as partial:
        _save_file(partial, tensors, {STATE: describe(position, fingerprint)})
    return last


def load(folder: Path, fingerprint: str) -> Checkpoint | None:
    """The newest whole checkpoint of a run, or None where there is none."""
    return _read_newest(folder, fingerprint, read_checkpoint)


def load_position(folder: Path, fingerprint: str) -> Position | None:
    """The position of the newest whole checkpoint, without its tensors."""
    return _read_newest(folder, fingerprint, read_position)


def _read_newest(folder: Path, fingerprint: str, read: Callable[[Path, str], Read]) -> Read | None:
    failures = []
    for path in (folder / LAST, folder / PREVIOUS):
        if not path.exists():
            continue
        try:
            return read(path, fingerprint)
        except (SafetensorError, KeyError, ValueError, OSError) as error:
            failures.append(f"{path}: {error}")
    if failures:
        raise InputError(f"no checkpoint can be read ({'; '.join(failures)}); delete them to start again")
    return None


def read_checkpoint(path: Path, fingerprint: str) -> Checkpoint:
    with safe_open(path, framework="pt") as file:
        position = parse(path, file.metadata()[STATE], fingerprint)
        return Checkpoint(position, {name: file.get_tensor(name) for name in file.keys()})  # noqa: SIM118


def read_position(path: Path, fingerprint: str) -> Position:
    with safe_open(path, framework="pt") as file:
        return parse(path, file.metadata()[STATE], fingerprint)


def describe(position: Position, fingerprint: str) -> str:
    """The position as JSON, with the fingerprint of the run."""
    return json.dumps({"format": FORMAT, "fingerprint": fingerprint, **asdict(position)})


def parse(path: Path, text: str, fingerprint: str) -> Position:
    """The position in what `describe` wrote. Refuses the checkpoint of another model, tokenizer or data."""
    state: dict[str, Any] = json.loads(text)
    if state.pop("format") != FORMAT:
        raise InputError(f"{path} was written by another version of Redraft; use that version, or start again")
    if state.pop("fingerprint") != fingerprint:
        raise InputError(f"{path} belongs to another model, tokenizer or data; give the run another folder")
    state["partitions"] = {int(number): counters for number, counters in state["partitions"].items()}
    return Position(**state)


def write_tensors(path: Path, tensors: Mapping[str, Tensor], metadata: Mapping[str, str]) -> None:
    """Writes a safetensors file, which is never there in part, and survives a power cut once it is there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path, durable=True) as partial:
        _save_file(partial, tensors, metadata)


def copy(path: Path, target: Path) -> None:
    with atomic_write(target, durable=True) as partial:
        shutil.copyfile(path, partial)


def _save_file(path: Path, tensors: Mapping[str, Tensor], metadata: Mapping[str, str]) -> None:
    save_file({name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}, path, dict(metadata))


def read_tensors(path: Path) -> dict[str, Tensor]:
    try:
        with safe_open(path, framework="pt") as file:
            return {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (not a mapping)
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except SafetensorError as error:
        raise InputError(f"{path} is not a safetensors file: {error}") from error
