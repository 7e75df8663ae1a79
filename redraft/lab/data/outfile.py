"""Files that appear under their name only when they are whole."""

from __future__ import annotations

import gzip
import lzma
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """A name to write to; the file gets its own name at the end of the block, and is gone if the block fails."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    try:
        yield partial
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


@contextmanager
def open_whole(path: Path) -> Iterator[TextIO]:
    """A UTF-8 text file, packed as its name says (.xz, .gz)."""
    openers: dict[str, Callable[..., Any]] = {".xz": lzma.open, ".gz": gzip.open}
    with whole(path) as partial, openers.get(path.suffix, open)(partial, "wt", encoding="utf-8", newline="\n") as file:
        yield file


def write_lines(path: Path, lines: Iterable[str]) -> int:
    """Write the lines, each with a line feed; returns how many."""
    count = 0
    with open_whole(path) as file:
        for line in lines:
            file.write(line + "\n")
            count += 1
    return count
