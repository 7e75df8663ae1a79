"""Target: requests to the server's application, in this process."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from fastapi import FastAPI
from served import make_app

from fuzzing.inputs import HOSTILE_TEXTS, VALUES, mutate, mutate_value, random_text
from fuzzing.runner import Target

_BODIES: dict[str, Any] = {
    "/v1/check": {"text": "She go to school.", "format": "plain", "language": "auto", "threshold": 0.5, "trace": True},
    "/v1/correct": {"text": "She go to school.", "kinds": ["spelling"], "offsets": "utf-8", "alternatives": True},
    "/v1/trace": {"sentence": "She go to school.", "policies": ["refine", "none"]},
    "/v1/words": {"word": "fjord", "scope": "user"},
    "/v1/ignores": {"ignore": "once", "source": "go", "replacement": "goes", "sentence": "She go."},
}
_FORMS: dict[str, dict[str, str]] = {
    "/v2/check": {"text": "She go to school.", "language": "en-US", "enabledOnly": "false", "level": "picky"},
    "/v2/words/add": {"word": "fjord"},
    "/v2/words/delete": {"word": "fjord"},
}
_OTHERS = (
    "/",
    "/v1/info",
    "/v2/languages",
    "/v2/info",
    "/v2/maxtextlength",
    "/metrics",
    "/health",
    "/ready",
    "/openapi.json",
    "/x",
)
_METHODS = ("GET", "POST", "DELETE", "HEAD", "OPTIONS", "PUT", "X")
_HEADERS = (
    ("content-type", "application/json"),
    ("content-type", "application/x-www-form-urlencoded"),
    ("content-type", "multipart/form-data; boundary=x"),
    ("content-type", ";;;\x00\xff"),
    ("accept", "application/x-ndjson"),
    ("accept", "text/event-stream"),
    ("origin", "http://evil.example"),
    ("host", "evil.example"),
    ("host", "localhost:99999999"),
    ("host", "[::1"),
    ("host", ""),
    ("content-length", "9" * 5000),
    ("content-length", "-1"),
    ("x-api-key", "\xff"),
    ("authorization", "Bearer "),
    ("cookie", "a=b; =; ;;"),
    ("transfer-encoding", "chunked"),
)
_REFUSED = (503, 504)
"""Statuses above 500 that a busy or slow server may answer with."""


def _request(
    path: str, body: str, method: str = "POST", type: str = "application/json", query: str = ""
) -> dict[str, Any]:
    headers = [["host", "localhost:8081"], ["content-type", type]]
    return {"method": method, "path": path, "query": query, "headers": headers, "body": body}


def _seeds() -> Iterator[str]:
    for text in HOSTILE_TEXTS:
        yield json.dumps(_request("/v1/check", json.dumps({"text": text})))
        data = json.dumps({"annotation": [{"text": text}]})
        form = urlencode({"language": "auto", "data": data})
        yield json.dumps(_request("/v2/check", form, type="application/x-www-form-urlencoded"))
    for body in ("[" * 100_000, '{"text": ' + "9" * 5000 + "}", '{"text": "\\ud800"}', "\xff\xfe", ""):
        yield json.dumps(_request("/v1/check", body))
        yield json.dumps(_request("/v2/check", body))
    for query in ("text=\udcff", "\udcff"):  # bytes that are not UTF-8
        yield json.dumps(_request("/v1/check", "{}", query=query))
        yield json.dumps(_request("/nothing", "", query=query))


def make(generator: random.Random) -> str:
    kind = generator.random()
    if kind < 0.5:
        path = generator.choice(list(_BODIES))
        body = mutate_value(generator, _BODIES[path]) if generator.random() < 0.9 else generator.choice(VALUES)
        request = _request(path, json.dumps(body))
    elif kind < 0.85:
        path = generator.choice(list(_FORMS))
        form = dict(_FORMS[path])
        if generator.random() < 0.5:
            form.pop("text", None)
            parts = {"annotation": [{"text": random_text(generator)}, {"markup": "<b>", "interpretAs": " "}]}
            form["data"] = json.dumps(mutate_value(generator, parts))
        form[generator.choice([*form, "preferredVariants", "disabledRules", "mode", "c"])] = random_text(
            generator, most=6
        )
        written = urlencode({name: value.encode("utf-8", "surrogatepass") for name, value in form.items()})
        request = _request(path, written, type="application/x-www-form-urlencoded")
    else:
        request = _request(generator.choice(_OTHERS), random_text(generator, most=5))
    if generator.random() < 0.2:
        request["method"] = generator.choice(_METHODS)
    if generator.random() < 0.2:
        written = mutate(generator, urlencode({"text": "a", "language": "en"}))
        request["query"] = "".join(character for character in written if character < "\ud800" or character > "\udfff")
    if generator.random() < 0.1:
        request["path"] += random_text(generator, ("/", "%2e", "..", "//"), most=4)
    if generator.random() < 0.3:
        request["headers"].append(list(generator.choice(_HEADERS)))
    if generator.random() < 0.2:
        request["body"] = mutate(generator, request["body"])
    return json.dumps(request)


@contextmanager
def open_requests(folder: Path) -> Iterator[Target]:
    with asyncio.Runner() as runner:
        app = make_app(folder)
        lifespan = app.router.lifespan_context(app)
        runner.run(lifespan.__aenter__())
        try:
            yield Target("http", lambda text: runner.run(_check(app, json.loads(text))), make, list(_seeds()))
        finally:
            runner.run(lifespan.__aexit__(None, None, None))


def _to_ascii(text: str) -> bytes:
    """As a client has to send it: the server that reads requests refuses other characters."""
    return quote(text.encode("utf-8", "surrogatepass"), safe="!$%&'()*+,/:;=?@-._~").encode()


async def _check(app: FastAPI, request: dict[str, Any]) -> None:
    sent: list[Any] = []
    body = request["body"].encode("utf-8", "surrogatepass")
    events = [
        {"type": "http.request", "body": body[:50], "more_body": True},
        {"type": "http.request", "body": body[50:]},
    ]

    async def receive() -> Any:
        if not events:
            await asyncio.sleep(3600)  # the client stays until it has the whole answer
        return events.pop(0)

    async def send(message: Any) -> None:
        sent.append(message)

    path = request["path"]
    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": request["method"],
        "scheme": "http",
        "path": path,
        "raw_path": _to_ascii(path),
        "query_string": request["query"].encode("utf-8", "surrogateescape"),
        "root_path": "",
        "headers": [(name.encode(), value.encode("latin-1", "replace")) for name, value in request["headers"]],
        "client": ("127.0.0.1", 50000),
        "server": ("127.0.0.1", 8081),
    }
    await app(scope, receive, send)
    assert sent and sent[0]["type"] == "http.response.start", "there is no answer"
    status = sent[0]["status"]
    assert status < 500 or status in _REFUSED, f"the answer is {status}"
    assert sent[-1]["type"] == "http.response.body" and not sent[-1].get("more_body"), "the answer is not finished"
    headers = dict(sent[0]["headers"])
    if headers.get(b"content-type") == b"application/json" and request["method"] != "HEAD":
        json.loads(b"".join(message.get("body", b"") for message in sent[1:]))
