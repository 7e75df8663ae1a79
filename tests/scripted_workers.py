"""An engine with workers whose choices the tests write."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from scripted import Choose, ScriptedEngine, ScriptedStepper

from redraft.decode.stepper import Engine


class SharedEngine(ScriptedEngine):
    """An engine with workers, which count their batches and call `before` with their number before each."""

    def __init__(self, choose: Choose, workers: int, before: Callable[[int], object] = lambda number: None) -> None:
        super().__init__(choose, 300)
        self.batches = [0] * workers
        self.before = before
        self._own = [_Worker(choose, self, number) for number in range(workers)]

    @property
    def workers(self) -> Sequence[Engine]:
        return self._own


class _Worker(ScriptedEngine):
    def __init__(self, choose: Choose, owner: SharedEngine, number: int) -> None:
        super().__init__(choose, 300)
        self._owner, self._number = owner, number

    def start(self, sources: Sequence[Sequence[int]]) -> ScriptedStepper:
        self._owner.batches[self._number] += 1
        self._owner.before(self._number)
        self.stepper = self._owner.stepper
        return super().start(sources)
