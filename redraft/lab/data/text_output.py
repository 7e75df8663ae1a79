"""Text files that training reads, compressed as their names say and written in one step."""

from __future__ import annotations

import gzip
import lzma
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from redraft.atomic_write import atomic_write


@contextmanager
def open_output(path: Path) -> Iterator[TextIO]:
    """A new UTF-8 file, compressed if its name ends in .xz or .gz, in a folder that is created if need be."""
    openers: dict[str, Callable[..., Any]] = {".xz": lzma.open, ".gz": gzip.open}
    opener = openers.get(path.suffix, open)
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path) as partial, opener(partial, "wt", encoding="utf-8", newline="\n") as file:
        yield file


def write_lines(path: Path, lines: Iterable[str]) -> int:
    """Write the lines, each with a line feed; returns their number."""
    count = 0
    with open_output(path) as file:
        for line in lines:
            file.write(line + "\n")
            count += 1
    return count
