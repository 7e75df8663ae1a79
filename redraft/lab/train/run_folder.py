"""The checkpoints in the folder of a run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from redraft.errors import ConfigError
from redraft.lab.train import checkpoint, checkpoint_parts
from redraft.lab.train.checkpoint import LAST, PREVIOUS, Checkpoint, Position
from redraft.lab.train.checkpoint_parts import PARTS
from redraft.lab.train.config import VARIANTS

LOCK = ".lock"


def load_checkpoint(folder: Path, fingerprint: str) -> Checkpoint | None:
    """The last checkpoint of a run, or else one that was split into parts. None if there is none."""
    saved = checkpoint.load(folder, fingerprint)
    return checkpoint_parts.join(folder / PARTS, fingerprint) if saved is None else saved


def load_position(folder: Path, fingerprint: str) -> Position | None:
    """The position of the checkpoint that `load_checkpoint` returns."""
    position = checkpoint.load_position(folder, fingerprint)
    return checkpoint_parts.load_position(folder / PARTS, fingerprint) if position is None else position


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Refuses a second run in the folder of a run while the first one goes on: each would overwrite the checkpoints of
    the other. The lock ends with the process."""
    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / LOCK)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise ConfigError(f"another run is going on in {folder}; wait for it, or choose another folder") from None
    try:
        yield
    finally:
        lock.release()


def refuse_to_overwrite(folder: Path) -> None:
    if any((folder / name).exists() for name in (LAST, PREVIOUS, PARTS, VARIANTS)):
        raise ConfigError(f"{folder} holds a run already; continue it with --resume, or choose another folder")
