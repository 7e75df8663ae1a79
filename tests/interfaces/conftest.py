"""The command line, run in this process."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any

import marking
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


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty folder for a person's words and ignores: nobody's own take part in tests."""
    folder = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("REDRAFT_HOME", str(folder))
    return folder


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


@pytest.fixture(scope="session")
def ray_cluster() -> Iterator[str]:
    """A real cluster with room for two workers, for all tests, since it takes seconds to start; and its address."""
    ray = pytest.importorskip("ray", reason="ray is not installed (the extra redraft[ray])")
    ray.init(
        "local",
        num_cpus=2,
        include_dashboard=False,
        log_to_driver=False,
        logging_level=logging.ERROR,
        object_store_memory=1 << 28,
    )
    ray.cloudpickle.register_pickle_by_value(marking)  # workers do not look for modules where pytest does
    yield ray.get_runtime_context().gcs_address
    ray.shutdown()
