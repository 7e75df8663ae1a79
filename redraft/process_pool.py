"""A pool of processes that end when the process that started them does, even if that was killed."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context, parent_process
from threading import Thread
from typing import Any


def open_pool(workers: int, prepare: Callable[..., None] | None = None, *arguments: Any) -> ProcessPoolExecutor:
    """A pool whose workers each call `prepare` with the arguments first.

    They are spawned, not forked: the caller may use threads or a GPU.
    """
    return ProcessPoolExecutor(workers, get_context("spawn"), _start, (prepare, arguments))


def _start(prepare: Callable[..., None] | None, arguments: tuple[Any, ...]) -> None:
    end_with_parent()
    if prepare is not None:
        prepare(*arguments)


def end_with_parent() -> None:
    """Ends this process, which was spawned, as soon as the process that spawned it is gone."""
    Thread(target=_wait_for_parent, daemon=True).start()


def _wait_for_parent() -> None:
    """A worker waits for tasks on a pipe that it holds open itself, and so would not see that its parent is gone."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
