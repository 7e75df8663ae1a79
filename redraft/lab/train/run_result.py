"""How a training run ended."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

STOPPED = 3
"""Exit code of a run that was stopped and can go on with --resume."""


@dataclass(frozen=True, slots=True)
class RunResult:
    """Whether the run is finished, and then the folder of the model."""

    finished: bool
    model: Path | None

    @property
    def exit_code(self) -> int:
        return 0 if self.finished else STOPPED
