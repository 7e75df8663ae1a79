"""Output of commands: text on stdout byte for byte, messages on stderr, colour only in a terminal."""

from __future__ import annotations

import os
import re
import sys
from typing import Any, TextIO

import typer

from redraft.text.encoding import encode

_CONTROL = re.compile(
    "[\x00-\x1f\x7f-\x9f"  # line ends, and what begins a command to a terminal
    "\u2028-\u202e\u2066-\u2069"  # line ends of Unicode, and what changes the direction of writing
    "\ud800-\udfff]"  # bytes that are not UTF-8
)


def printable(text: object) -> str:
    """A text to show in a terminal: control characters are escaped, so that a file name is no command to it."""
    return _CONTROL.sub(lambda found: _escape(found.group()), str(text))


def write_line(text: str) -> None:
    """Writes a line for a person to stdout."""
    write(f"{printable(text)}\n")


def write(text: str) -> None:
    """Writes to stdout without translating line ends."""
    sys.stdout.flush()
    sys.stdout.buffer.write(encode(text))
    sys.stdout.buffer.flush()


def remark(message: str) -> None:
    """One line on stderr, above a progress bar if there is one."""
    sys.stderr.write(f"redraft: {printable(message)}\n")


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


def _escape(character: str) -> str:
    if "\udc80" <= character <= "\udcff":  # `surrogateescape` has put it for a byte
        return f"\\x{ord(character) - 0xDC00:02x}"
    return character.encode("unicode_escape").decode()
