"""The command line, run in this process."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO, TextIOWrapper
from typing import Any

import pytest

from redraft.interfaces.cli import main
from redraft.model.folder import ModelFolder


@dataclass(frozen=True)
class Outcome:
    code: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        return self.out.decode()

    @property
    def objects(self) -> list[Any]:
        return [json.loads(line) for line in self.out.splitlines()]


Run = Callable[..., Outcome]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]) -> Run:
    """Runs `redraft ARGUMENTS…` with `stdin` and returns what a shell would see."""

    def run(*arguments: object, stdin: bytes = b"") -> Outcome:
        monkeypatch.setattr("sys.argv", ["redraft", *map(str, arguments)])
        monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(stdin)))
        with pytest.raises(SystemExit) as leaving:
            main()
        captured = capsysbinary.readouterr()
        code = leaving.value.code
        return Outcome(code if isinstance(code, int) else 0, captured.out, captured.err.decode())

    return run


@pytest.fixture
def redraft(run: Run, tiny_model: ModelFolder) -> Run:
    """Like `run`, with the tiny model."""

    def redraft(*arguments: object, stdin: bytes = b"") -> Outcome:
        return run(*arguments, "--model", tiny_model.path, stdin=stdin)

    return redraft
