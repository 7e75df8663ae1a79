"""Splits a checkpoint into small files with 16-bit numbers, from which `--resume` can go on.

A checkpoint of the base model takes 870 MB, too much for machines that are lent for half an hour and return a few small
files. In 16 bits it takes half of that, in parts of any size. Weights are rounded to float16, as in a finished model,
and the moments of the optimizer to bfloat16, because they are too small for float16.

Run as `python -m redraft.lab.train.checkpoint_parts CHECKPOINT FOLDER` where typer is not installed.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from redraft.atomic_write import atomic_write
from redraft.checksum import checksum
from redraft.errors import InputError
from redraft.lab.train.checkpoint import LAST, STATE, Checkpoint, Position, parse, read_tensors, write_tensors
from redraft.lab.train.module_command import run_command

PARTS = "checkpoint"
"""Folder with the parts of a checkpoint, in the folder of a run that should go on from it."""
MANIFEST = "checkpoint.json"
PART_SIZE = 16 * 2**20
_HEADER_SIZE = 2**18
"""Bytes of a part that are left to the names of its tensors."""


def split(source: Path, folder: Path, part_size: int = PART_SIZE) -> list[Path]:
    """Writes the checkpoint of a run's folder, or a checkpoint file, as parts of at most `part_size` bytes."""
    path = source / LAST if source.is_dir() else source
    tensors = read_tensors(path)
    folder.mkdir(parents=True, exist_ok=True)
    for old in (folder / MANIFEST, *folder.glob("part-*.safetensors")):
        old.unlink(missing_ok=True)
    parts: list[Path] = []
    for slices in _fill_parts(tensors, part_size - _HEADER_SIZE):
        parts.append(folder / f"part-{len(parts):03d}.safetensors")
        write_tensors(parts[-1], slices, {})
    manifest = {
        "state": _read_state(path),
        "shapes": {name: list(tensor.shape) for name, tensor in tensors.items()},
        "parts": {part.name: checksum(part) for part in parts},
    }
    with atomic_write(folder / MANIFEST, durable=True) as partial:
        partial.write_text(json.dumps(manifest), encoding="utf-8")
    return [*parts, folder / MANIFEST]


def join(folder: Path, fingerprint: str) -> Checkpoint | None:
    """The checkpoint that was split into a folder, in single precision, or None if there is none."""
    manifest = _read_manifest(folder)
    if manifest is None:
        return None
    position = parse(folder, manifest["state"], fingerprint)
    damaged = [name for name, digest in manifest["parts"].items() if not _is_whole(folder / name, digest)]
    if damaged:
        raise InputError(f"{folder}: missing or damaged: {', '.join(damaged)}")
    flat = {name: torch.empty(torch.Size(shape).numel()) for name, shape in manifest["shapes"].items()}
    for part in manifest["parts"]:
        for key, values in read_tensors(folder / part).items():
            name, _, start = key.rpartition(":")
            flat[name][int(start) : int(start) + values.numel()] = values.float()
    tensors = {name: flat[name].reshape(shape) for name, shape in manifest["shapes"].items()}
    return Checkpoint(position, tensors)


def load_position(folder: Path, fingerprint: str) -> Position | None:
    """The position of the checkpoint that was split into a folder, or None if there is none."""
    manifest = _read_manifest(folder)
    return None if manifest is None else parse(folder, manifest["state"], fingerprint)


def _read_manifest(folder: Path) -> dict[str, Any] | None:
    try:
        manifest: dict[str, Any] = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise InputError(f"{folder / MANIFEST} is damaged ({error}); split the checkpoint again") from None
    return manifest


def _fill_parts(tensors: Mapping[str, Tensor], size: int) -> Iterator[dict[str, Tensor]]:
    """Slices of flat tensors, named `tensor:start`, in groups of at most `size` bytes."""
    part: dict[str, Tensor] = {}
    free = size
    for name, tensor in sorted(tensors.items()):
        rounded = _round(name, tensor).reshape(-1)
        start = 0
        while start < rounded.numel():
            count = min(rounded.numel() - start, free // rounded.element_size())
            if count == 0:
                yield part
                part, free = {}, size
                continue
            part[f"{name}:{start}"] = rounded[start : start + count]
            free -= count * rounded.element_size()
            start += count
    if part:
        yield part


def _round(name: str, tensor: Tensor) -> Tensor:
    if tensor.dim() == 0:  # the number of steps, which must stay exact
        return tensor
    return tensor.to(torch.bfloat16 if name.startswith("optimizer.") else torch.float16)


def _read_state(path: Path) -> str:
    try:
        with safe_open(path, framework="pt") as file:
            return str(file.metadata()[STATE])
    except (SafetensorError, KeyError, TypeError):
        raise InputError(f"{path} is not a checkpoint; name last.safetensors of a run, or the run's folder") from None


def _is_whole(part: Path, digest: str) -> bool:
    return part.is_file() and checksum(part) == digest


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m redraft.lab.train.checkpoint_parts", description="Split a checkpoint into small files."
    )
    parser.add_argument("checkpoint", type=Path, help="checkpoint file, or folder of a run")
    parser.add_argument("folder", type=Path, help="folder for the parts")
    parser.add_argument("--mib", type=int, default=PART_SIZE // 2**20, help="largest size of a part in MiB; default 16")
    options = parser.parse_args(arguments)

    def run() -> int:
        for path in split(options.checkpoint, options.folder, options.mib * 2**20):
            print(path)  # noqa: T201
        return 0

    return run_command(run)


if __name__ == "__main__":
    sys.exit(main())
