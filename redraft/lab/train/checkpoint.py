"""Checkpoints: one safetensors file each, tensors and state together, so that the two can never disagree."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from redraft.atomic_write import atomic_write, sync
from redraft.errors import InputError

FORMAT = 1
LAST, PREVIOUS = "last.safetensors", "previous.safetensors"


@dataclass(slots=True)
class Position:
    """How far training has come."""

    stage: int = 0
    step: int = 0
    """Steps of this stage."""
    seconds: float = 0.0
    """Time spent in this stage."""
    passes: int = 0
    """Forward passes of this process in this stage."""
    units: int = 0
    """Packed units this process took from the feed in this stage."""
    lanes: dict[int, list[int]] = field(default_factory=dict)
    """Where each lane of the data stands."""
    all_steps: int = 0
    pairs: int = 0
    tokens: int = 0
    skipped: int = 0
    average_updates: int = 0
    best: float = -1.0
    """The best dev score of this stage, and how many evaluations ago that was."""
    since_best: int = 0

    def next_stage(self) -> None:
        fresh = Position(stage=self.stage + 1, all_steps=self.all_steps, pairs=self.pairs, tokens=self.tokens)
        for entry in fields(self):
            setattr(self, entry.name, getattr(fresh, entry.name))


@dataclass(frozen=True, slots=True)
class Checkpoint:
    position: Position
    tensors: dict[str, Tensor]

    def part(self, prefix: str) -> dict[str, Tensor]:
        start = f"{prefix}."
        return {name.removeprefix(start): tensor for name, tensor in self.tensors.items() if name.startswith(start)}


def save(folder: Path, position: Position, tensors: Mapping[str, Tensor], digest: str) -> Path:
    """Writes the last checkpoint and keeps the one before it. A crash at any moment leaves one of them whole."""
    last = folder / LAST
    folder.mkdir(parents=True, exist_ok=True)

    def keep_previous() -> None:
        if last.exists():
            last.replace(folder / PREVIOUS)

    with atomic_write(last, durable=True, before_replacing=keep_previous) as partial:
        state = {"format": FORMAT, "digest": digest, **asdict(position)}
        write_tensors(partial, tensors, {"redraft": json.dumps(state)})
    return last


def load(folder: Path, digest: str) -> Checkpoint | None:
    """The newest whole checkpoint, or None where there is none."""
    failures = []
    for path in (folder / LAST, folder / PREVIOUS):
        if not path.exists():
            continue
        try:
            return _read(path, digest)
        except (SafetensorError, KeyError, ValueError, OSError) as error:
            failures.append(f"{path}: {error}")
    if failures:
        raise InputError(f"no checkpoint can be read ({'; '.join(failures)}); remove them to start anew")
    return None


def write_tensors(path: Path, tensors: Mapping[str, Tensor], metadata: Mapping[str, str]) -> None:
    """Writes through to the disk: after this the bytes survive a power cut."""
    path.parent.mkdir(parents=True, exist_ok=True)
    save_file({name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}, path, dict(metadata))
    sync(path)


def read_tensors(path: Path) -> dict[str, Tensor]:
    try:
        with safe_open(path, framework="pt") as file:
            return {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (not a mapping)
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except SafetensorError as error:
        raise InputError(f"{path} is not a safetensors file: {error}") from error


def _read(path: Path, digest: str) -> Checkpoint:
    with safe_open(path, framework="pt") as file:
        state: dict[str, Any] = json.loads(file.metadata()["redraft"])
        if state.pop("format") != FORMAT:
            raise InputError(f"{path} was written by another version; start anew, or take that version")
        if state.pop("digest") != digest:
            raise InputError(f"{path} belongs to another model, tokenizer or data; give the run another folder")
        state["lanes"] = {int(lane): counters for lane, counters in state["lanes"].items()}
        return Checkpoint(Position(**state), {name: file.get_tensor(name) for name in file.keys()})  # noqa: SIM118
