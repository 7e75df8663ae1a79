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
class Group:
    rank: int = 0
    size: int = 1
    control: Any = None
    """A group of processes for small decisions, which stay on the CPU."""

    def __enter__(self) -> Group:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.size > 1:
            distributed.destroy_process_group()

    @property
    def first(self) -> bool:
        return self.rank == 0

    def sum(self, tensor: Tensor) -> None:
        if self.size > 1:
            distributed.all_reduce(tensor)

    def share(self, value: float) -> float:
        """The first process's value: its clock and its choices count for all."""
        if self.size == 1:
            return value
        shared = torch.tensor(value, dtype=torch.float64)
        distributed.broadcast(shared, src=0, group=self.control)
        return float(shared)

    def decide(self, choice: bool) -> bool:
        return self.share(float(choice)) > 0

    def any(self, wish: bool) -> bool:
        """True when any process wishes it."""
        if self.size == 1:
            return wish
        wishes = torch.tensor(float(wish))
        distributed.all_reduce(wishes, group=self.control)
        return bool(wishes > 0)

    def gather(self, value: Any) -> list[Any]:
        if self.size == 1:
            return [value]
        values: list[Any] = [None] * self.size
        distributed.all_gather_object(values, value, group=self.control)
        return values

    def wait(self) -> None:
        if self.size > 1:
            distributed.barrier(group=self.control)


def join(device: torch.device) -> Group:
    """The group torchrun started, or a group of one."""
    size = int(os.environ.get("WORLD_SIZE", "1"))
    if size == 1:
        return Group()
    distributed.init_process_group("nccl" if device.type == "cuda" else "gloo")
    return Group(distributed.get_rank(), size, distributed.new_group(backend="gloo"))


def choose_device(name: str) -> torch.device:
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    if name == "cuda":
        if not torch.cuda.is_available():
            raise ConfigError("run.device is cuda, but torch sees no CUDA device here")
        name = f"cuda:{os.environ.get('LOCAL_RANK', '0')}"
        torch.cuda.set_device(torch.device(name))
    try:
        return torch.device(name)
    except RuntimeError as error:
        raise ConfigError(f"run.device: {error}") from None
