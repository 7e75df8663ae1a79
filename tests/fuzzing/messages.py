"""Target: messages of an editor to the language server, in this process."""

from __future__ import annotations

import asyncio
import json
import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from pygls.io_ import run_async
from pygls.protocol import default_converter
from served import scripted_corrector

from fuzzing.inputs import HOSTILE_TEXTS, mutate_value
from fuzzing.runner import Target
from redraft.check.corrector import Corrector
from redraft.lsp.server import RedraftServer
from redraft.settings.options import ModelOptions

_URI = "file:///tmp/fuzz/letter.md"
_DOCUMENT = {"uri": _URI}
_RANGE = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 5}}
_SETTINGS = {"redraft": {"language": "en", "threshold": 0.5, "kinds": ["spelling"], "formats": {"tex": "off"}}}
_MESSAGES: tuple[tuple[str, bool, Any], ...] = (
    (
        "textDocument/didOpen",
        False,
        {"textDocument": {"uri": _URI, "languageId": "markdown", "version": 1, "text": "She go."}},
    ),
    (
        "textDocument/didChange",
        False,
        {"textDocument": {"uri": _URI, "version": 2}, "contentChanges": [{"range": _RANGE, "text": "x"}]},
    ),
    (
        "textDocument/didChange",
        False,
        {"textDocument": {"uri": _URI, "version": 2}, "contentChanges": [{"text": "She go."}]},
    ),
    ("textDocument/didSave", False, {"textDocument": _DOCUMENT}),
    ("textDocument/didClose", False, {"textDocument": _DOCUMENT}),
    ("textDocument/hover", True, {"textDocument": _DOCUMENT, "position": {"line": 0, "character": 4}}),
    ("textDocument/codeAction", True, {"textDocument": _DOCUMENT, "range": _RANGE, "context": {"diagnostics": []}}),
    ("workspace/executeCommand", True, {"command": "redraft.addWord", "arguments": [{"uri": _URI, "word": "x"}]}),
    ("workspace/didChangeConfiguration", False, {"settings": _SETTINGS}),
    ("$/cancelRequest", False, {"id": 1}),
    ("$/setTrace", False, {"value": "off"}),
    ("textDocument/unknown", True, {}),
)
_CONVERTER = default_converter()
"""One for all servers: it compiles functions for the types of messages, which takes long."""
_INITIALIZE = {"processId": None, "rootUri": None, "capabilities": {}, "initializationOptions": _SETTINGS}


def make(generator: random.Random) -> str:
    """A list of messages; the first one is mostly a valid `initialize`, the second a valid `didOpen`."""
    messages = []
    for number in range(generator.randrange(1, 8)):
        method, is_request, params = _MESSAGES[0] if number == 0 else generator.choice(_MESSAGES)
        if generator.random() < 0.6:
            params = mutate_value(generator, params)
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        if is_request:
            message["id"] = number
        if generator.random() < 0.1:
            message = mutate_value(generator, message)
        messages.append(message)
    return json.dumps([_first(generator), *messages])


def _first(generator: random.Random) -> Any:
    params = mutate_value(generator, _INITIALIZE) if generator.random() < 0.2 else _INITIALIZE
    return {"jsonrpc": "2.0", "id": "first", "method": "initialize", "params": params}


def _seeds() -> Iterator[str]:
    start = {"jsonrpc": "2.0", "id": "first", "method": "initialize", "params": _INITIALIZE}
    for text in HOSTILE_TEXTS:
        opening = {"textDocument": {"uri": _URI, "languageId": "markdown", "version": 1, "text": text}}
        yield json.dumps([start, {"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": opening}])
    hover = {"jsonrpc": "2.0", "id": 10**400, "method": "textDocument/hover"}
    strange: tuple[Any, ...] = ([], None, 7, "text", {"jsonrpc": "1.0"}, hover)
    for message in strange:
        yield json.dumps([start, message])


class _Writer:
    def __init__(self) -> None:
        self.data = b""

    def write(self, data: bytes) -> None:
        self.data += data

    def close(self) -> None:
        pass


@contextmanager
def open_messages(folder: Path) -> Iterator[Target]:
    corrector = scripted_corrector()
    with asyncio.Runner() as runner, patch("redraft.lsp.server._DEBOUNCE_SECONDS", 0):
        yield Target("lsp", lambda text: runner.run(_check(corrector, json.loads(text))), make, list(_seeds()))


async def _check(corrector: Corrector, messages: list[Any]) -> None:
    """Documents are checked without an error, and the last request, a valid one, is answered."""
    server = RedraftServer(ModelOptions())
    server._checker._correctors._opened[None] = corrector
    server.protocol._converter = _CONVERTER
    writer = _Writer()
    server.protocol.set_writer(writer)
    reader = asyncio.StreamReader(limit=1 << 26)
    reading = asyncio.create_task(run_async(threading.Event(), reader, server.protocol, error_handler=_ignore))
    try:
        async with asyncio.timeout(60):
            for message in messages:
                _send(reader, message)
                await asyncio.sleep(0)
            tasks = [state.task for state in server._documents.values() if state.task]
            for outcome in await asyncio.gather(*tasks, return_exceptions=True):
                if isinstance(outcome, Exception):
                    raise outcome
            _send(reader, {"jsonrpc": "2.0", "id": "last", "method": "shutdown"})
            reader.feed_eof()
            await reading
            while b'"last"' not in writer.data:
                await asyncio.sleep(0.001)
    finally:
        reading.cancel()
        server._checker.stop()
        server.shutdown()


def _send(reader: asyncio.StreamReader, message: Any) -> None:
    body = json.dumps(message).encode()
    reader.feed_data(b"Content-Length: %d\r\n\r\n" % len(body) + body)


def _ignore(error: Exception, source: object) -> None:
    """A message that cannot be read is answered with an error, or passed over."""
