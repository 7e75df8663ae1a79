"""Progress on stderr, and only where a person watches it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress(title: str, total: int | None, writes: bool = False) -> Iterator[Callable[[], None]]:
    """Shows a bar while the block runs; the function it hands out moves the bar by one step.

    Where the block `writes` to stdout and stdout is the same screen, the output itself shows how far it is.
    """
    if not sys.stderr.isatty() or (writes and sys.stdout.isatty()):
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    steps = (BarColumn(), MofNCompleteColumn()) if total != 1 else ()
    columns = (SpinnerColumn(), TextColumn("{task.description}"), *steps, TimeElapsedColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, redirect_stdout=False) as bar:
        task = bar.add_task(title, total=total)
        yield lambda: bar.advance(task)
