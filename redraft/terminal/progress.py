"""A progress bar on stderr, shown in terminals only."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


class Bar:
    """A progress bar that is advanced by calling it; invisible without a screen."""

    def __init__(self, screen: Progress | None = None, task: TaskID | None = None) -> None:
        self._screen = screen
        self._task = task
        self._steps = 0.0

    def __call__(self, steps: float = 1) -> None:
        """Advances by a number of steps, which need not be whole."""
        self._steps += steps
        if self._screen is not None and self._task is not None:
            self._screen.update(self._task, completed=round(self._steps, 6))

    def restart(self, title: str, total: int) -> None:
        """Begins again at 0, with another title and another number of steps."""
        self._steps = 0.0
        if self._screen is not None and self._task is not None:
            self._screen.reset(self._task, total=total, description=title)

    @contextmanager
    def hidden(self, comes_back: bool = True) -> Iterator[None]:
        """Hides the bar while the block writes to stdout, which may be the same terminal.

        With `comes_back=False` it stays hidden: behind a line without a line end it would overwrite the line.
        """
        screen = self._screen
        if screen is None or not sys.stdout.isatty():
            yield
            return
        screen.stop()
        try:
            yield
        finally:
            if comes_back:
                screen.start()
            else:
                self._screen = None


@contextmanager
def progress(title: str, total: int | None, shown: bool = True) -> Iterator[Bar]:
    """Shows a bar while the block runs."""
    if not shown or not sys.stderr.isatty():
        yield Bar()
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        SpinnerColumn,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
    )

    # Of a long file, a tenth of a per cent may take seconds.
    percentage = TaskProgressColumn("[progress.percentage]{task.percentage:>5.1f}%")
    steps = percentage if total == 1 else MofNCompleteColumn()
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), steps, TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=False) as screen:
        yield Bar(screen, screen.add_task(title, total=total))
