"""Fixtures every test may use."""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any

import marking
import pytest
from hypothesis import settings
from skips import Skip, find_unexpected, read_expected

import redraft
from redraft.model.folder import ModelFolder
from redraft.text import chinese_characters


def pytest_report_header() -> str:
    return f"redraft from {Path(redraft.__file__).parent}"


_skipped: list[Skip] = []


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    _note_skip(report)


def pytest_collectreport(report: pytest.CollectReport) -> None:
    _note_skip(report)


def _note_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    if report.skipped and not hasattr(report, "wasxfail") and isinstance(report.longrepr, tuple):
        reason = str(report.longrepr[2]).removeprefix("Skipped: ")
        _skipped.append(Skip(report.nodeid.split("::")[0], reason))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fails the run if a test was skipped that expected_skips.txt does not list."""
    if hasattr(session.config, "workerinput") or os.environ.get("REDRAFT_STRICT_SKIPS") != "1":
        return
    unexpected = find_unexpected(_skipped, read_expected())
    if unexpected and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if os.environ.get("REDRAFT_STRICT_SKIPS") == "1":
        for skip in find_unexpected(_skipped, read_expected()):
            terminalreporter.line(f"SKIPPED AND NOT EXPECTED {skip.file}: {skip.reason}", red=True)


# How long an example takes says more about the machine than about the code.
settings.register_profile("redraft", deadline=None)
settings.load_profile("redraft")


@pytest.fixture(autouse=True, scope="session")
def _home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Tests neither read nor write the dictionaries of whoever runs them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("REDRAFT_HOME", str(tmp_path_factory.mktemp("home")))
        yield


@pytest.fixture
def without_opencc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As if the package were not installed that tells traditional characters from simplified ones."""
    monkeypatch.setitem(sys.modules, "opencc", None)
    chinese_characters._tables.cache_clear()
    yield
    chinese_characters._tables.cache_clear()


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder with corpora and official scorer figures, which is not part of the repository."""
    folder = Path(os.environ.get("REDRAFT_DATA", Path(__file__).parent.parent.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"the data folder {folder} is not here; set REDRAFT_DATA to run this test")
    return folder


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> ModelFolder:
    """A real model of the smallest shape that corrects the sentences of `tiny.PAIRS`."""
    from tiny import write_tiny_model  # needs torch, which most tests do not

    return write_tiny_model(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture(scope="session")
def chinese_model(tmp_path_factory: pytest.TempPathFactory) -> ModelFolder:
    """The same for Chinese: it corrects the sentences of `tiny.CHINESE_PAIRS`."""
    from tiny import write_chinese_model

    return write_chinese_model(tmp_path_factory.mktemp("models") / "zh")


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

    from redraft.cli.main import main

    def run(*arguments: object, stdin: bytes = b"") -> Outcome:
        monkeypatch.setattr("sys.argv", ["redraft", *map(str, arguments)])
        monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(stdin)))
        with pytest.raises(SystemExit) as leaving:
            main()
        captured = capsysbinary.readouterr()
        code = leaving.value.code
        return Outcome(code if isinstance(code, int) else 0, captured.out, captured.err.decode())

    return run


@pytest.fixture(name="redraft")
def redraft_fixture(run: Run, tiny_model: ModelFolder) -> Run:
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
