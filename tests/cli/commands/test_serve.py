from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import Any

import httpx
import pytest

from redraft.model.folder import ModelFolder

Run = Callable[..., Any]
STARTED = re.compile(r"redraft: (http://\S+:\d+) serves the model tiny; (.*)\n")


@contextmanager
def serving(
    model: ModelFolder, home: Path, *arguments: str, open_files: int | None = None, **environment: str
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    command = [sys.executable, "-c", "from redraft.cli.main import main; main()", "serve", "--port", "0"]
    if open_files:
        command = ["sh", "-c", f'ulimit -n {open_files} && exec "$@"', "sh", *command]
    process = subprocess.Popen(
        [*command, "--model", str(model.path), *arguments],
        env={**os.environ, "REDRAFT_HOME": str(home), **environment},
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stderr
        yield process, process.stderr.readline()
    finally:
        process.kill()
        process.communicate()


def test_it_serves_until_it_is_stopped(tiny_model: ModelFolder, tmp_path: Path) -> None:
    with serving(tiny_model, tmp_path) as (process, line):
        started = STARTED.fullmatch(line)
        assert started
        assert started[2] == "texts stay on this machine. Stop with Ctrl-C"
        with httpx.Client(base_url=started[1], timeout=60) as client:
            reply = client.post("/v1/correct", json={"text": "He have two cat."}).json()
            assert reply["text"] == "He has two cats."
            assert client.get("/v1/info").json()["model"]["parameters"] == tiny_model.parameters
            assert client.get("/v2/check", params={"text": "secret", "language": "en"}).status_code == 200
        process.send_signal(signal.SIGINT)
        assert process.stderr
        assert process.stderr.read() == ""
        assert process.wait(30) == 0


def test_all_embedded_models_may_be_named(tiny_model: ModelFolder, tmp_path: Path) -> None:
    with serving(tiny_model, tmp_path, "--model", "auto") as (_, line):
        address, _, _ = line.removeprefix("redraft: ").partition(" serves the model")
        info = httpx.get(f"{address}/v1/info", timeout=60).json()
        assert info["model"]["language"] == "en"
        assert info["model"]["parameters"] > tiny_model.parameters


def test_a_key_from_the_environment_and_a_wider_reach(tiny_model: ModelFolder, tmp_path: Path) -> None:
    with serving(tiny_model, tmp_path, "--host", "0.0.0.0", REDRAFT_API_KEY="secret") as (_, line):
        assert "reachable from the network with the API key" in line
        port = line.split(" serves")[0].rpartition(":")[2]
        assert httpx.get(f"http://127.0.0.1:{port}/v1/info").status_code == 401
        headers = {"X-API-Key": "secret"}
        assert httpx.get(f"http://127.0.0.1:{port}/v1/info", headers=headers).status_code == 200


def test_a_stop_finishes_what_was_accepted(tiny_model: ModelFolder, tmp_path: Path) -> None:
    # The time limits must not end the test on a busy machine.
    with serving(tiny_model, tmp_path, "--stop-seconds", "600", "--request-seconds", "600") as (process, line):
        started = STARTED.fullmatch(line)
        assert started
        text = " ".join(f"This is sentence {number} of a long text." for number in range(60))
        answers: list[httpx.Response] = []
        asking = Thread(
            target=lambda: answers.append(httpx.post(f"{started[1]}/v1/check", json={"text": text}, timeout=600))
        )
        asking.start()
        while "redraft_queue_length 1.0" not in httpx.get(f"{started[1]}/metrics").text:
            assert asking.is_alive()
        process.send_signal(signal.SIGTERM)
        asking.join(600)
        assert [answer.status_code for answer in answers] == [200]
        assert len(answers[0].json()["sentences"]) == 60
        assert process.wait(30) == -signal.SIGTERM


def test_a_stop_does_not_wait_for_a_log_that_is_not_read(tiny_model: ModelFolder, tmp_path: Path) -> None:
    with serving(tiny_model, tmp_path) as (process, line):
        started = STARTED.fullmatch(line)
        assert started and process.stderr
        full = os.open(f"/proc/{process.pid}/fd/2", os.O_WRONLY | os.O_NONBLOCK)
        with suppress(BlockingIOError):
            while True:
                os.write(full, b"x" * 4096)
        os.close(full)
        host, _, port = started[1].removeprefix("http://").partition(":")
        with socket.create_connection((host, int(port)), 30) as line_of_noise:
            line_of_noise.sendall(b"noise\r\n\r\n")
            assert line_of_noise.recv(100).startswith(b"HTTP/1.1 400 ")
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == -signal.SIGTERM


def test_more_half_sent_requests_than_files_may_be_open(tiny_model: ModelFolder, tmp_path: Path) -> None:
    half = b"POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"
    with serving(tiny_model, tmp_path, open_files=256) as (process, line), ExitStack() as closing:
        started = STARTED.fullmatch(line)
        assert started and process.stderr
        host, _, port = started[1].removeprefix("http://").partition(":")
        for _ in range(600):
            client = closing.enter_context(socket.create_connection((host, int(port)), 30))
            with suppress(ConnectionError):  # the server may have closed it already
                client.sendall(half)
        answer = httpx.post(f"{started[1]}/v1/check", json={"text": "He have two cat."}, timeout=60)
        assert answer.status_code == 200
        assert len(list(Path(f"/proc/{process.pid}/fd").iterdir())) < 256
        process.send_signal(signal.SIGINT)
        written = process.stderr.read()
        assert "160 connections are open" in written
        assert len(written) < 2000
        assert process.wait(30) == 0


def test_a_port_in_use_is_one_line(run: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        outcome = run("serve", "--port", taken.getsockname()[1])
    assert outcome.code == 2
    assert re.fullmatch(
        r"redraft: cannot listen at 127\.0\.0\.1:\d+: .*; choose another --host or --port\n", outcome.err
    )


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--host", "no.such.host.invalid", "--no-key"), "cannot listen at no.such.host.invalid"),
        (("--origin", "example.org"), "is not an origin"),
        (("--api-key", ""), "the API key is empty"),
        (("--host", "0.0.0.0"), "with --host 0.0.0.0, all who reach this machine could use the server"),
    ],
)
def test_mistakes_are_one_line(run: Run, arguments: tuple[str, ...], says: str) -> None:
    outcome = run("serve", *arguments)
    assert outcome.code == 2
    assert says in outcome.err
    assert outcome.err.count("\n") == 1
