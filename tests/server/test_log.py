from __future__ import annotations

import fcntl
import logging
import os
from collections.abc import Iterator

import pytest

from redraft.server.log import LogHandler, one_line


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    reading, writing = os.pipe()
    yield reading, writing
    os.close(reading)  # ends a thread that waits to write


def record(message: str, line: int = 1, error: BaseException | None = None) -> logging.LogRecord:
    info = (type(error), error, error.__traceback__) if error else None
    return logging.LogRecord("test", logging.WARNING, "test.py", line, message, (), info)


def test_lines_are_limited_in_rate(pipe: tuple[int, int]) -> None:
    clock = Clock()
    handler = LogHandler(pipe[1], clock)
    for number in range(1000):
        handler.handle(record(f"connection {number} failed"))
    handler.handle(record("something else", line=2))
    clock.now = 60.0
    handler.handle(record("connection 1000 failed"))
    handler.handle(record("connection 1001 failed"))
    handler.flush()
    assert os.read(pipe[0], 100_000).decode().splitlines() == [
        *(f"redraft: connection {number} failed" for number in range(5)),
        "redraft: something else",
        "redraft: connection 1000 failed (995 lines like this were left out)",
        "redraft: connection 1001 failed",
    ]


def test_a_pipe_that_is_not_read_blocks_nothing(pipe: tuple[int, int]) -> None:
    size = fcntl.fcntl(pipe[1], fcntl.F_SETPIPE_SZ, 4096)
    handler = LogHandler(pipe[1])
    for line in range(2000):
        handler.handle(record("x" * 100, line))
    handler.flush()
    assert len(os.read(pipe[0], 1_000_000)) <= size < 2000 * 100


def test_a_record_is_one_line_without_the_words_of_an_exception() -> None:
    try:
        raise OSError(24, "secret", "secret.txt")
    except OSError as error:
        line = one_line(record("accept failed\nsocket: 7\n", error=error))
    assert line.startswith("accept failed; socket: 7: OSError (Too many open files) at ")
    assert __file__ in line
    assert "secret" not in line
