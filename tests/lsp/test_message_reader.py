from __future__ import annotations

from io import BytesIO
from threading import Event
from typing import Any

import pytest
from pygls.io_ import run

from redraft.lsp.message_reader import MAX_MESSAGE, MessageReader


class Protocol:
    """Records messages."""

    def __init__(self) -> None:
        self.messages: list[Any] = []

    def structure_message(self, value: Any) -> Any:
        return value

    def handle_message(self, message: Any) -> None:
        self.messages.append(message)


def read_messages(data: bytes) -> tuple[list[Any], list[str]]:
    """The messages that pygls reads, and what is reported."""
    reports: list[str] = []
    protocol = Protocol()
    run(Event(), MessageReader(BytesIO(data), reports.append), protocol)  # type: ignore[arg-type]
    return protocol.messages, reports


def message(body: bytes, length: str = "", more: bytes = b"") -> bytes:
    return b"Content-Length: %b\r\n%b\r\n%b" % ((length or str(len(body))).encode(), more, body)


def test_messages_are_read() -> None:
    first, second = b'{"a": 1}', b"\n" * 100_000 + b'{"b": 2}\r\n'
    kind = b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n"
    assert read_messages(message(first) + message(second, more=kind)) == ([{"a": 1}, {"b": 2}], [])
    assert read_messages(b"") == ([], [])


@pytest.mark.parametrize("length", ["9" * 5000, "9" * 40, str(MAX_MESSAGE + 1)])
@pytest.mark.parametrize("body", [b"", b'{"a": 1}', b'"' + b"x" * 200_000 + b'"'])
def test_a_message_that_is_too_long_is_left_out_and_the_next_is_read(length: str, body: bytes) -> None:
    messages, reports = read_messages(message(b"1") + message(body, length) + message(b"2") + message(b"3"))
    assert messages == [1, 2, 3]
    assert reports == ["a message of the editor was left out: it is longer than 67,108,864 bytes"]


@pytest.mark.parametrize("before", range(65_500, 65_560, 7))
def test_a_header_after_a_long_line_is_found_wherever_that_line_is_cut(before: int) -> None:
    messages, _ = read_messages(message(b"x" * before, "9" * 50) + message(b"2"))
    assert messages == [2]


def test_a_length_that_fills_more_than_a_line_is_no_header() -> None:
    messages, _ = read_messages(message(b"{}", "9" * 100_000) + message(b"2"))
    assert messages == [2]
