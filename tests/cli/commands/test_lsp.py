from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

Run = Callable[..., Any]


def test_the_help_says_who_starts_it(run: Run) -> None:
    assert "Editors start it" in run("lsp", "--help").text


def test_an_editor_that_hangs_up_ends_it(run: Run) -> None:
    done = run("lsp", "--stdio", stdin=b"")
    assert (done.code, done.out) == (0, b"")


def test_a_message_with_an_absurd_length_does_not_end_it() -> None:
    def message(method: str, length: str = "", **more: object) -> bytes:
        body = json.dumps({"jsonrpc": "2.0", "method": method, **more}).encode()
        return f"Content-Length: {length or len(body)}\r\n\r\n".encode() + body

    absurd = message("textDocument/didOpen", "9" * 5000)
    initialize = message("initialize", id=1, params={"capabilities": {}, "processId": None, "rootUri": None})
    done = subprocess.run(
        [sys.executable, "-c", "from redraft.cli.main import main; main()", "lsp"],
        input=absurd + initialize + message("shutdown", id=2) + message("exit"),
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert b'"capabilities"' in done.stdout
    assert done.stderr == b"redraft: a message of the editor was left out: it is longer than 67,108,864 bytes\n"
    assert done.returncode == 0


def test_without_the_extra_it_says_what_to_install(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pygls.lsp.server", None)
    monkeypatch.delitem(sys.modules, "redraft.lsp.server", raising=False)
    done = run("lsp")
    assert done.code == 2
    assert "install the extra 'lsp'" in done.err
