from __future__ import annotations

import select
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest
from served import WRONG, converse, gated, live, make_app, scripted_corrector

from redraft.server.guard import keys_match

Ask = Callable[..., httpx.Response]


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:8081", "[::1]:8081", "LOCALHOST:1"])
def test_a_local_server_accepts_loopback_names(ask: Ask, host: str) -> None:
    assert ask("GET", "/health", headers={"host": host}).status_code == 200


@pytest.mark.parametrize("host", ["example.org", "localhost.example.org:8081", "", "[::1"])
def test_a_local_server_refuses_other_names(ask: Ask, host: str) -> None:
    assert ask("GET", "/health", headers={"host": host}).status_code == 403
    assert ask("GET", "/v2/check", headers={"host": host}).text.startswith("Error: ")


def test_a_refused_name_is_named_with_its_remedy(ask: Ask) -> None:
    refused = ask("GET", "/health", headers={"host": "example.org:8081"})
    assert refused.json() == {"error": "host name 'example.org' is not allowed; add it with --name"}


def test_names_can_be_allowed(ask: Ask) -> None:
    host = {"host": "words.example.org"}
    assert ask("GET", "/health", headers=host, settings={"name": ["words.example.org"]}).status_code == 200
    assert ask("GET", "/health", headers=host, settings={"host": "0.0.0.0", "no_key": True}).status_code == 200
    limited = {"host": "0.0.0.0", "name": ["another.example.org"]}
    assert ask("GET", "/health", headers=host, settings=limited).status_code == 403


def test_web_pages_of_other_origins_may_not_use_the_server(ask: Ask) -> None:
    foreign = {"origin": "https://evil.example"}
    assert ask("POST", "/v1/words", json={"word": "x"}, headers=foreign).status_code == 403
    assert ask("POST", "/v2/words/add", data={"word": "x"}, headers=foreign).status_code == 403
    assert ask("GET", "/v1/words").json() == {"words": []}
    for own in ("http://localhost:8081", "moz-extension://0123"):
        assert ask("POST", "/v1/check", json={"text": "Hi."}, headers={"origin": own}).status_code == 200


@pytest.mark.parametrize(
    "foreign",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"},
        {"sec-fetch-site": "same-site", "sec-fetch-mode": "navigate"},
    ],
)
def test_a_page_elsewhere_causes_no_work(tmp_path: Path, foreign: dict[str, str]) -> None:
    corrector = scripted_corrector()

    async def talk(client: httpx.AsyncClient) -> list[int]:
        parameters = {"text": WRONG, "language": "en"}
        requests = [("GET", "/v2/check"), ("HEAD", "/v2/check"), ("GET", "/v1/words"), ("GET", "/metrics")]
        return [
            (await client.request(method, path, params=parameters, headers=foreign)).status_code
            for method, path in requests
        ]

    assert converse(tmp_path, talk, corrector) == [403] * 4
    assert gated(corrector).batches == []


def test_requests_of_the_own_page_and_of_the_user_are_allowed(ask: Ask) -> None:
    for site in ("same-origin", "none"):
        assert ask("GET", "/v1/info", headers={"sec-fetch-site": site}).status_code == 200
    link = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    assert ask("GET", "/", headers=link).status_code == 200
    assert ask("GET", "/v1/info", headers=link, settings={"origin": ["*"]}).status_code == 200


def test_an_origin_can_be_allowed(ask: Ask) -> None:
    settings = {"origin": ["https://notes.example"]}
    headers = {"origin": "https://notes.example"}
    answer = ask("POST", "/v1/check", json={"text": "Hi."}, headers=headers, settings=settings)
    assert answer.headers["access-control-allow-origin"] == "https://notes.example"
    asked = {**headers, "access-control-request-method": "POST", "access-control-request-headers": "x-api-key"}
    preflight = ask("OPTIONS", "/v1/check", headers=asked, settings={**settings, "api_key": "secret"})
    assert preflight.status_code == 200
    other = ask("GET", "/v1/info", headers={"origin": "https://evil.example"}, settings=settings)
    assert other.status_code == 403
    assert "access-control-allow-origin" not in other.headers
    read = ask("GET", "/v1/info", headers={**headers, "sec-fetch-site": "cross-site"}, settings=settings)
    assert read.status_code == 200


SECRET = {"api_key": "secret"}
WITH_KEY = ("/v1/info", "/v1/words", "/v1/nothing", "/metrics")
LANGUAGETOOL_WITH_KEY = ("check", "languages", "info", "configinfo", "maxtextlength", "words", "nothing")


@pytest.mark.parametrize("path", WITH_KEY)
def test_the_api_key_is_required(ask: Ask, path: str) -> None:
    refused = ask("GET", path, settings=SECRET)
    assert refused.status_code == 401
    assert refused.headers["www-authenticate"] == "Bearer"
    assert refused.json() == {"error": "send the API key in the header X-API-Key"}
    for headers in ({"x-api-key": "wrong"}, {"authorization": "Bearer wrong"}, {"authorization": "Basic secret"}):
        assert ask("GET", path, headers=headers, settings=SECRET).status_code == 401
    assert ask("GET", path, params={"apiKey": "secret"}, settings=SECRET).status_code == 401
    for headers in ({"x-api-key": "secret"}, {"authorization": "bearer secret"}):
        assert ask("GET", path, headers=headers, settings=SECRET).status_code == (404 if "nothing" in path else 200)


@pytest.mark.parametrize("path", LANGUAGETOOL_WITH_KEY)
def test_all_of_languagetools_api_requires_the_key(ask: Ask, path: str) -> None:
    parameters = {"language": "en", "text": "Hi."} if path == "check" else {}
    for wrong in ({}, {"apiKey": "wrong"}, {"apiKey": ""}):
        refused = ask("GET", f"/v2/{path}", params={**parameters, **wrong}, settings=SECRET)
        assert (refused.status_code, refused.text[:7]) == (403, "Error: ")
    right = [
        {"params": {**parameters, "apiKey": "secret"}},
        {"params": parameters, "headers": {"x-api-key": "secret"}},
        {"params": parameters, "headers": {"authorization": "Bearer secret"}},
    ]
    for request in right:
        expected = 404 if path == "nothing" else 200
        assert ask("GET", f"/v2/{path}", settings=SECRET, **request).status_code == expected


def test_the_key_may_be_in_the_body_of_a_form(ask: Ask) -> None:
    for path, form in (
        ("check", {"language": "en", "text": "Hi."}),
        ("words/add", {"word": "x"}),
        ("maxtextlength", {}),
    ):
        assert ask("POST", f"/v2/{path}", data={**form, "apiKey": "wrong"}, settings=SECRET).status_code == 403
        assert ask("POST", f"/v2/{path}", data={**form, "apiKey": "secret"}, settings=SECRET).status_code == 200


def test_every_documented_route_but_health_requires_the_key(ask: Ask, tmp_path: Path) -> None:
    documented = make_app(tmp_path).openapi()["paths"]
    routes = [(method, path) for path, methods in documented.items() for method in methods]
    assert len(routes) > 10
    unprotected = {path for method, path in routes if ask(method.upper(), path, settings=SECRET).status_code != 401}
    assert unprotected == {"/health", "/ready"}


@pytest.mark.parametrize("path", ["/health", "/ready", "/v2/healthcheck"])
def test_health_needs_no_key(ask: Ask, path: str) -> None:
    assert ask("GET", path, settings=SECRET).status_code == 200


def test_keys_of_any_characters_are_compared() -> None:
    assert keys_match("clé", "clé")
    assert not keys_match(None, "clé")
    assert not keys_match("\ud800", "clé")


def test_large_bodies_are_refused(ask: Ask) -> None:
    async def pieces() -> AsyncIterator[bytes]:
        for _ in range(100):
            yield b"x" * 100

    settings = {"max_body": 1000}
    declared = ask("POST", "/v1/check", content=b"x" * 1001, settings=settings)
    assert (declared.status_code, declared.json()) == (413, {"error": "the body is longer than 1,000 bytes"})
    absurd = ask("POST", "/v1/check", content=b"x", headers={"content-length": "9" * 5000}, settings=settings)
    assert absurd.status_code == 413
    counted = ask("POST", "/v2/check", content=pieces(), settings=settings)
    assert (counted.status_code, counted.text) == (413, "Error: the body is longer than 1,000 bytes")


def test_bodies_together_are_limited(tmp_path: Path) -> None:
    head = b"POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n"
    with live(make_app(tmp_path, max_body=1000)) as port, ExitStack() as closing:
        waiting = [closing.enter_context(socket.create_connection(("127.0.0.1", port), 30)) for _ in range(17)]
        for client in waiting:
            client.sendall(head + b"x" * 990)
        ready, _, _ = select.select(waiting, [], [], 30)
        assert [client.recv(13) for client in ready] == [b"HTTP/1.1 503 "]
        for client in waiting:
            client.close()
        while (answer := httpx.post(f"http://127.0.0.1:{port}/v1/check", json={"text": WRONG * 30})).status_code == 503:
            pass  # until the server has noticed that the clients left
        assert answer.status_code == 200


def test_a_slow_body_times_out(tmp_path: Path) -> None:
    with live(make_app(tmp_path, body_seconds=0.1)) as port, socket.create_connection(("127.0.0.1", port), 30) as slow:
        slow.sendall(b"POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
        assert slow.recv(1000).startswith(b"HTTP/1.1 408 ")
        check = httpx.post(f"http://127.0.0.1:{port}/v1/check", json={"text": WRONG})
        assert check.status_code == 200


@pytest.mark.parametrize("beginning", [b"", b"GET /health HTTP/1.1\r\nHost: loc"])
def test_missing_headers_close_the_connection(tmp_path: Path, beginning: bytes) -> None:
    with live(make_app(tmp_path, body_seconds=0.1)) as port, socket.create_connection(("127.0.0.1", port), 30) as slow:
        slow.sendall(beginning)
        assert slow.recv(1000) == b""
        assert httpx.get(f"http://127.0.0.1:{port}/health").status_code == 200


def test_the_header_timeout_applies_to_later_requests(tmp_path: Path) -> None:
    with live(make_app(tmp_path, body_seconds=0.2)) as port, socket.create_connection(("127.0.0.1", port), 30) as slow:
        slow.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert slow.recv(1000).startswith(b"HTTP/1.1 200 ")
        slow.sendall(b"GET /health")
        while received := slow.recv(1000):  # the rest of the first answer
            assert b"HTTP/1.1" not in received


@pytest.mark.parametrize("noise", [b"\x16\x03\x01\x02", b"GET / HTTP/9.9\r\n\r\n", b"GET /" + b"x" * 100_000])
def test_the_server_survives_invalid_requests(tmp_path: Path, noise: bytes) -> None:
    with live(make_app(tmp_path, body_seconds=0.2)) as port:
        with socket.create_connection(("127.0.0.1", port), 30) as line:
            line.sendall(noise)
            line.recv(1000)
        assert httpx.get(f"http://127.0.0.1:{port}/health").status_code == 200


def test_a_client_that_leaves_before_its_body_is_complete(tmp_path: Path) -> None:
    with live(make_app(tmp_path)) as port:
        with socket.create_connection(("127.0.0.1", port), 30) as line:
            line.sendall(b"POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
        assert httpx.get(f"http://127.0.0.1:{port}/ready").status_code == 200


def test_every_response_has_security_headers(ask: Ask) -> None:
    for path in ("/", "/v1/info", "/nothing", "/v2/languages"):
        headers = ask("GET", path).headers
        assert headers["content-security-policy"].startswith("default-src 'self'; ")
        assert headers["x-content-type-options"] == "nosniff"
