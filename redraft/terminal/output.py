"""Output of commands: text on stdout byte for byte, messages on stderr, colour only in a terminal."""

from __future__ import annotations

import os
import sys
from typing import Any, TextIO

import typer

from redraft.text.encoding import encode


def write(text: str) -> None:
    """Writes to stdout without translating line ends."""
    sys.stdout.flush()
    sys.stdout.buffer.write(encode(text))
    sys.stdout.buffer.flush()


def remark(message: str) -> None:
    """One line on stderr, above a progress bar if there is one."""
    sys.stderr.write(f"redraft: {message}\n")


class Paint:
    """Styles text, unless the stream is not a terminal or colour is turned off."""

    def __init__(self, stream: TextIO) -> None:
        plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" or not stream.isatty()
        self.enabled = bool(os.environ.get("FORCE_COLOR")) or not plain

    def __call__(self, text: str, **style: Any) -> str:
        return typer.style(text, **style) if self.enabled else text


def count(number: int, noun: str) -> str:
    """`1 file`, `2 files`."""
    return f"{number:,} {noun}{'s' * (number != 1)}"
