"""What a run tells: a line of JSON for every event, TensorBoard where it is installed, and a line for the eyes."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Any

LOG = "log.jsonl"


class Journal:
    """Only the first process of a run keeps one; the others hold a silent one, with no folder."""

    def __init__(self, folder: Path | None) -> None:
        self._file = None
        self._board: Any = None
        self._shown = 0.0
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            self._file = (folder / LOG).open("a", encoding="utf-8")
            self._board = _open_board(folder / "tensorboard")

    def __enter__(self) -> Journal:
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

    def say(self, text: str) -> None:
        """A line the user should see, whatever the pace."""
        if self._file is not None:
            print(text, file=sys.stderr, flush=True)  # noqa: T201

    def show(self, text: str, every: float) -> None:
        """A progress line, unless the last one is younger than `every` seconds."""
        now = time.monotonic()
        if now - self._shown >= every:
            self._shown = now
            self.say(text)


def _open_board(folder: Path) -> Any:
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        return None
    return SummaryWriter(str(folder))
