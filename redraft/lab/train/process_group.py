"""The processes that train together, each on its own device. Most often there is one."""

from __future__ import annotations

import os
from dataclasses import dataclass
from types import TracebackType
from typing import Any

import torch
from torch import Tensor, distributed

from redraft.errors import ConfigError


@dataclass(frozen=True, slots=True)
class ProcessGroup:
    """The operations of torch.distributed that training needs; with one process they do nothing."""

    rank: int = 0
    size: int = 1
    control: Any = None
    """A torch process group for small values, which stay on the CPU."""

    def __enter__(self) -> ProcessGroup:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.size > 1:
            distributed.destroy_process_group()

    @property
    def is_first(self) -> bool:
        return self.rank == 0

    def sum(self, tensor: Tensor) -> None:
        """Replaces a tensor by its sum over all processes."""
        if self.size > 1:
            distributed.all_reduce(tensor)

    def broadcast(self, value: float) -> float:
        """The value of the first process, so that all processes decide alike."""
        if self.size == 1:
            return value
        shared = torch.tensor(value, dtype=torch.float64)
        distributed.broadcast(shared, src=0, group=self.control)
        return float(shared)

    def broadcast_flag(self, flag: bool) -> bool:
        return self.broadcast(float(flag)) > 0

    def any(self, flag: bool) -> bool:
        """True if the flag is true in any process."""
        if self.size == 1:
            return flag
        flags = torch.tensor(float(flag))
        distributed.all_reduce(flags, group=self.control)
        return bool(flags > 0)

    def gather(self, value: Any) -> list[Any]:
        """The values of all processes."""
        if self.size == 1:
            return [value]
        values: list[Any] = [None] * self.size
        distributed.all_gather_object(values, value, group=self.control)
        return values

    def wait(self) -> None:
        """Waits until all processes are here."""
        if self.size > 1:
            distributed.barrier(group=self.control)


def join(device: torch.device) -> ProcessGroup:
    """The group that torchrun started, or a group of one."""
    size = int(os.environ.get("WORLD_SIZE", "1"))
    if size == 1:
        return ProcessGroup()
    distributed.init_process_group("nccl" if device.type == "cuda" else "gloo")
    return ProcessGroup(distributed.get_rank(), size, distributed.new_group(backend="gloo"))


def default_device() -> str:
    """A GPU if torch finds one."""
    return "cuda" if torch.cuda.is_available() else "cpu"


def choose_device(name: str) -> torch.device:
    if name == "auto":
        name = default_device()
    if name == "cuda":
        if not torch.cuda.is_available():
            raise ConfigError("run.device is cuda, but torch finds no CUDA device; use cpu or auto")
        name = f"cuda:{os.environ.get('LOCAL_RANK', '0')}"
        torch.cuda.set_device(torch.device(name))
    try:
        return torch.device(name)
    except RuntimeError as error:
        raise ConfigError(f"run.device: {error}") from None
