from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from redraft import __version__
from redraft.decode.drafts import POLICIES
from redraft.engines.opening import ENGINES
from redraft.model.folder import ModelFolder

Run = Callable[..., Any]
COMMAND = [sys.executable, "-c", "from redraft.cli.main import main; main()"]


def test_the_version_is_the_package_s(run: Run) -> None:
    assert run("--version").text == f"redraft {__version__}\n"


def test_no_command_shows_the_help(run: Run) -> None:
    outcome = run()
    assert outcome.code == 2
    assert "Usage: redraft" in outcome.err


def test_an_unknown_command_is_a_mistake(run: Run) -> None:
    outcome = run("fixx")
    assert outcome.code == 2
    assert "Did you mean 'fix'" in outcome.err


def test_help_names_every_engine_and_policy(run: Run) -> None:
    text = run("trace", "--help").text
    assert f"--engine {'|'.join(ENGINES)}" in text
    assert f"--draft {'|'.join(POLICIES)}" in text


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("redraft wor", ["words"]),
        ("redraft check --format s", ["sarif"]),
        ("redraft check --kind verb", ["verb-form"]),
        ("redraft fix --input-format mark", ["markdown"]),
    ],
)
def test_a_shell_completes_commands_options_and_values(
    run: Run, monkeypatch: pytest.MonkeyPatch, line: str, words: list[str]
) -> None:
    monkeypatch.setenv("_REDRAFT_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(len(line.split()) - 1))
    assert run().text.split() == words


def test_an_error_of_the_system_is_one_line(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise OSError(28, "No space left on device", "/somewhere")

    monkeypatch.setattr("redraft.model.catalogue.installed", fail)
    outcome = run("models")
    assert (outcome.code, outcome.err) == (2, "redraft: /somewhere: No space left on device\n")


def test_an_interrupt_is_exit_code_130(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("redraft.model.catalogue.installed", interrupt)
    outcome = run("models")
    assert outcome.code == 130
    assert "Traceback" not in outcome.err


def test_a_closed_pipe_is_no_traceback(tiny_model: ModelFolder) -> None:
    arguments = [*COMMAND, "fix", "--lines", "--model", str(tiny_model.path)]
    process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdin and process.stdout and process.stderr
    process.stdin.write(b"He has two cats.\n")
    process.stdin.flush()
    assert process.stdout.readline() == b"He has two cats.\n"
    process.stdout.close()
    process.stdin.write(b"He has two cats.\n" * 100)
    process.stdin.close()
    process.wait()
    assert process.stderr.read() == b""
    process.stderr.close()


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_closed_stream_is_an_empty_one(tiny_model: ModelFolder, closed: str) -> None:
    line = f'"$0" -c "$1" fix --model "$2" {closed}'
    arguments = ["bash", "-c", line, *COMMAND[::2], str(tiny_model.path)]
    done = subprocess.run(arguments, check=False, stdin=subprocess.DEVNULL, capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_full_disk_is_one_line(tiny_model: ModelFolder) -> None:
    arguments = [*COMMAND, "fix", "He has two cats.", "--model", str(tiny_model.path)]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(arguments, check=False, stdout=full, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (2, "redraft: No space left on device\n")
