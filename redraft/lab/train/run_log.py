"""The log of a run: a line of JSON per event, TensorBoard where it is installed, and lines on the terminal."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from types import TracebackType
from typing import Any, TextIO

from redraft.lab.train.progress_lines import ProgressLines, print_line

LOG = "log.jsonl"


class RunLog:
    """Only the first process of a run writes one; the other processes have one without a folder, which does nothing.

    A variant has a `name`, and a `terminal` for its lines beside its own standard error."""

    def __init__(self, folder: Path | None, name: str = "", terminal: TextIO | None = None) -> None:
        self._name, self._terminal = name, terminal
        self._file = None
        self._board: Any = None
        self._progress = ProgressLines(self.print)
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            cut_partial_line(folder / LOG)
            self._file = (folder / LOG).open("a", encoding="utf-8")
            self._board = _open_tensorboard(folder / "tensorboard")

    def __enter__(self) -> RunLog:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            self.record("failed", error=f"{kind.__name__ if kind else ''}: {error}")
        if self._file is not None:
            self._file.close()
        if self._board is not None:
            self._board.close()

    def record(self, event: str, step: int | None = None, **values: Any) -> None:
        if self._file is None:
            return
        entry = {"event": event, "time": round(time.time(), 3)} | ({} if step is None else {"step": step}) | values
        self._file.write(json.dumps(entry, ensure_ascii=False) + "\n")
        self._file.flush()
        if self._board is not None and step is not None:
            for name, value in values.items():
                if isinstance(value, (int, float)):
                    self._board.add_scalar(f"{event}/{name}", value, step)

    def print(self, text: str) -> None:
        if self._file is not None:
            print_line(text)
        if self._terminal is not None:
            print(f"{self._name}: {text}", file=self._terminal, flush=True)

    def print_progress(self, text: str, every: float) -> None:
        """Prints a progress line, unless the last one was printed less than `every` seconds ago."""
        self._progress.print(text, every)


def cut_partial_line(path: Path) -> None:
    """Removes a last line without its end, which a killed run has left, so that every line stays valid JSON."""
    try:
        with path.open("r+b") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - 65_536))
            tail = file.read()
            if tail and not tail.endswith(b"\n"):
                file.truncate(size - len(tail) + tail.rfind(b"\n") + 1)
    except FileNotFoundError:
        pass


def _open_tensorboard(folder: Path) -> Any:
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        return None
    return SummaryWriter(str(folder))
