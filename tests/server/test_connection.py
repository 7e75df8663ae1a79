from __future__ import annotations

import json
import select
import socket
from pathlib import Path
from threading import Event

import httpx
import pytest
from served import WRONG, gated, live, make_app, scripted_corrector

LONG = "This is a sentence that the server knows already, so that it is checked soon. "


def connect(port: int, data: bytes = b"") -> socket.socket:
    """A connection whose client has sent these bytes and reads nothing, with a small buffer."""
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.settimeout(30)
    client.connect(("127.0.0.1", port))
    client.sendall(data)
    return client


def check(text: str, accept: str = "*/*", connection: str = "keep-alive") -> bytes:
    body = json.dumps({"text": text}).encode()
    headers = f"Host: localhost\r\nContent-Type: application/json\r\nAccept: {accept}\r\nConnection: {connection}\r\n"
    return f"POST /v1/check HTTP/1.1\r\n{headers}Content-Length: {len(body)}\r\n\r\n".encode() + body


def is_disconnected(client: socket.socket) -> bool:
    """Waits until the server resets the connection, which needs no reading."""
    poll = select.poll()
    poll.register(client, 0)
    return bool(poll.poll(20_000))


@pytest.mark.parametrize("accept", ["*/*", "application/x-ndjson"])
def test_a_client_that_does_not_read_its_response_is_disconnected(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, accept: str
) -> None:
    app = make_app(tmp_path, queue=1, request_seconds=2.0)
    with live(app, send_buffer=4096) as port:
        with connect(port, check(LONG * 400, accept)) as silent:
            assert is_disconnected(silent)
        while not app.state.service.is_idle:
            Event().wait(0.005)
        answer = httpx.post(f"http://127.0.0.1:{port}/v1/check", json={"text": WRONG})
        assert answer.status_code == 200
    assert caplog.text == ""


def test_a_client_that_reads_gets_a_long_response(tmp_path: Path) -> None:
    request = check(LONG * 400, connection="close")
    with live(make_app(tmp_path), send_buffer=4096) as port, connect(port, request) as slow:
        received = b"".join(iter(lambda: slow.recv(5000), b""))
        head, _, body = received.partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200 ")
        assert len(json.loads(body)["sentences"]) == 400


HALF = b"POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"


@pytest.mark.parametrize("beginning", [b"", HALF[:20], HALF])
def test_the_oldest_connection_without_a_request_makes_room(tmp_path: Path, beginning: bytes) -> None:
    with live(make_app(tmp_path, connections=3)) as port:
        clients = [connect(port, beginning) for _ in range(3)]
        answer = httpx.get(f"http://127.0.0.1:{port}/health")
        assert answer.status_code == 200
        assert is_disconnected(clients[0])
        for client in clients:
            client.close()


def test_a_connection_is_refused_if_all_others_are_being_answered(tmp_path: Path) -> None:
    corrector = scripted_corrector()
    engine = gated(corrector)
    engine.gate.clear()
    with live(make_app(tmp_path, corrector, connections=2)) as port:
        busy = [connect(port, check(f"{WRONG} This is {number}.")) for number in range(2)]
        while httpx.get(f"http://127.0.0.1:{port}/health").status_code != 503:
            pass  # until both requests have arrived
        engine.gate.set()
        assert [one.recv(1000)[:13] for one in busy] == [b"HTTP/1.1 200 "] * 2
        for one in busy:
            one.close()
