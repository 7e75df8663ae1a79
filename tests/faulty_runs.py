"""Training runs whose variants stop, are killed or fail; in a module that their processes can import."""

from __future__ import annotations

import os
import signal
import time

from redraft.lab.train.loop import Hooks
from redraft.lab.train.training_run import TrainingRun


class FaultyRun(TrainingRun):
    """Calls `disturb` in a variant from its second step on, between two steps."""

    def _hooks(self, *arguments) -> Hooks:
        made = super()._hooks(*arguments)
        if self.folder.parent.name != "variants":
            return made
        should_stop = made.should_stop

        def disturbed() -> bool:
            if self.position.step >= 2:
                self.disturb(self.folder.name)
            return should_stop()

        made.should_stop = disturbed
        return made

    def disturb(self, variant: str) -> None:
        raise NotImplementedError


class TerminatedRun(FaultyRun):
    """Variant `a` sends SIGTERM to the run, and all wait for its effect."""

    def disturb(self, variant: str) -> None:
        if variant == "a":
            os.kill(os.getppid(), signal.SIGTERM)
        until = time.monotonic() + 60
        while not self.stop.is_due and time.monotonic() < until:
            time.sleep(0.01)


class KilledRun(FaultyRun):
    def disturb(self, variant: str) -> None:
        if variant == "b":
            os.kill(os.getpid(), signal.SIGKILL)


class FailingRun(FaultyRun):
    def disturb(self, variant: str) -> None:
        if variant == "b":
            raise RuntimeError("out of memory")
