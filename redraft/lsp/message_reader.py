"""Reads the messages of an editor, with a limit on their length, which pygls does not have."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import BinaryIO

MAX_MESSAGE = 1 << 26
"""Bytes of a message; a document of this length would take minutes to check."""
_MAX_LINE = 1 << 16
_LENGTH = re.compile(rb"Content-Length: *([0-9]+)\r\n\Z")
_HEADER_LINE = 100
"""More than the bytes of a Content-Length header that is accepted."""


class MessageReader:
    """Leaves out messages whose Content-Length is too large, instead of reading them into memory.

    pygls reads header lines until an empty one, and then as many bytes as Content-Length says. It ignores other lines,
    and so the body of a message whose header is left out. The next header is on the line where that body ends.
    """

    def __init__(self, stream: BinaryIO, report: Callable[[str], None]) -> None:
        self._stream = stream
        self._report = report
        self._unfinished = b""
        """End of a line that was too long to be read at once."""

    def readline(self) -> bytes:
        """The next line: a header, or something that pygls ignores. Empty at the end of the stream."""
        read = self._stream.readline(_MAX_LINE)
        line = self._unfinished + read
        self._unfinished = b"" if read.endswith(b"\n") else line[-_HEADER_LINE:]
        length = _LENGTH.search(line)
        if not (read and length):
            return read[:_MAX_LINE]
        if len(length[1]) < _HEADER_LINE // 2 and int(length[1]) <= MAX_MESSAGE:
            return b"Content-Length: %b\r\n" % length[1]
        self._report(f"a message of the editor was left out: it is longer than {MAX_MESSAGE:,} bytes")
        return b"-\r\n"

    def read(self, size: int) -> bytes:
        """The body of a message."""
        return self._stream.read(size)
