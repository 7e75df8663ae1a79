"""The log of a server on standard error: one line a record, limited in rate, and never waited for."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from queue import Full, Queue
from threading import Thread
from traceback import walk_tb

_LINES = 5
_SECONDS = 60.0
"""Up to `_LINES` lines in `_SECONDS` seconds from one place in the code."""
_WAITING_LINES = 1000
_LAST_SECONDS = 0.5
"""Time to write the last lines when the server ends."""


@dataclass(slots=True)
class _Window:
    """The lines of one place in the code, since `start`."""

    start: float
    lines: int = 0
    left_out: int = 0


class LogHandler(logging.Handler):
    """Writes log lines to a file descriptor, in a thread of its own.

    A pipe that is not read blocks that thread, but no request and no stop; further lines are dropped. Clients can cause
    any number of lines, so that the number written is limited.
    """

    def __init__(self, descriptor: int, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(logging.WARNING)
        self._descriptor = descriptor
        self._clock = clock
        self._windows: dict[tuple[str, int], _Window] = {}
        self._lines: Queue[bytes] = Queue(_WAITING_LINES)
        Thread(target=self._write, name="redraft-log", daemon=True).start()

    def emit(self, record: logging.LogRecord) -> None:
        now = self._clock()
        window = self._windows.setdefault((record.pathname, record.lineno), _Window(now))
        left_out = 0
        if now - window.start >= _SECONDS:
            left_out, window.start, window.lines, window.left_out = window.left_out, now, 0, 0
        if window.lines == _LINES:
            window.left_out += 1
            return
        window.lines += 1
        more = f" ({left_out:,} lines like this were left out)" if left_out else ""
        try:
            self._lines.put_nowait(f"redraft: {one_line(record)}{more}\n".encode(errors="backslashreplace"))
        except Full:
            window.left_out += 1

    def flush(self) -> None:
        """Waits a short time until all lines are written."""
        end = time.monotonic() + _LAST_SECONDS
        while self._lines.unfinished_tasks and time.monotonic() < end:
            time.sleep(0.005)

    def _write(self) -> None:
        # Not with sys.stderr: a thread that waits in it would keep its lock, which the end of the process needs.
        while True:
            line = self._lines.get()
            try:
                while line:
                    line = line[os.write(self._descriptor, line) :]
            except OSError:
                pass  # nothing reads the log any more
            finally:
                self._lines.task_done()


def one_line(record: logging.LogRecord) -> str:
    """The message, with the type and place of an exception. What an exception says may quote a user's text."""
    message = "; ".join(part.strip() for part in record.getMessage().splitlines() if part.strip())
    error = record.exc_info[1] if record.exc_info else None
    return f"{message}: {describe_error(error)}" if error else message


def describe_error(error: BaseException) -> str:
    """The type of an exception and where it was raised."""
    places = [f"{frame.f_code.co_filename}:{line}" for frame, line in walk_tb(error.__traceback__)]
    reason = f" ({os.strerror(error.errno)})" if isinstance(error, OSError) and error.errno else ""
    return f"{type(error).__name__}{reason} at {places[-1] if places else 'an unknown place'}"
