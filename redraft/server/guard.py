"""Middleware that decides which requests reach the application: by host name, origin, API key, size and time."""

from __future__ import annotations

import asyncio
import secrets
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from redraft.server.connection import ABORT
from redraft.server.form import read_form
from redraft.server.responses import (
    LANGUAGETOOL,
    OVERLOADED,
    TOO_SLOW,
    ClientGoneError,
    RefusedError,
    log_failure,
    stopping,
)
from redraft.server.settings import ServerSettings

_LOOPBACK_NAMES = ("localhost", "127.0.0.1", "::1")
_API = ("/v1", LANGUAGETOOL, "/metrics")
_KEY_NOT_NEEDED = f"{LANGUAGETOOL}/healthcheck"
_OTHER_SITES = ("cross-site", "same-site")
"""Values of Sec-Fetch-Site for requests that a page of another origin caused."""
_BODIES = 16
"""Bodies of the largest size that are held in memory at once."""
_SENDING = 0.1
"""Time to send a response, as a share of the time to work it out."""
_HEADERS = {
    "content-security-policy": "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "object-src 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
}


def keys_match(given: str | None, expected: str) -> bool:
    """Compares in constant time, so that the response time reveals nothing about the key."""
    return secrets.compare_digest((given or "").encode(errors="replace"), expected.encode())


@dataclass(slots=True)
class _Sender:
    """Sends a response with additional headers, and records whether it has begun."""

    send: Send
    headers: dict[str, str] = field(default_factory=dict)
    begun: bool = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.begun = True
            headers = MutableHeaders(scope=message)
            for name, value in self.headers.items():
                headers.setdefault(name, value)
        await self.send(message)


class Guard:
    """Refuses requests that are not allowed, and answers failures of the application without quoting a user's text.

    The whole body is read here, so that the application never waits for a slow client.
    """

    def __init__(self, app: ASGIApp, settings: ServerSettings) -> None:
        self._app = app
        self._settings = settings
        self._held = 0
        """Bytes of the bodies of all requests that are received or answered."""
        self._origins = frozenset(settings.origin or ())
        self._checks_host = settings.is_local or bool(settings.name)
        self._names = {name.lower() for name in (*_LOOPBACK_NAMES, settings.host, *(settings.name or ()))}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        sender, body = _Sender(send, _HEADERS), bytearray()
        try:
            headers = Headers(scope=scope)
            self._check_host(headers)
            self._check_origin(scope, headers)
            await self._read_body(headers, receive, body)
            self._check_key(scope, headers, body)
            await self._answer(scope, replay(bytes(body), receive), sender)
        except RefusedError as refused:
            await self._send_error(refused, scope, receive, sender)
        except ClientGoneError:
            return
        except asyncio.CancelledError:  # only the end of the server cancels requests
            await self._send_error(stopping(), scope, receive, sender)
        except Exception as error:
            await self._send_error(log_failure(error, scope), scope, receive, sender)
        finally:
            self._held -= len(body)

    async def _answer(self, scope: Scope, receive: Receive, sender: _Sender) -> None:
        """Lets the application answer; a client that does not read its response in time is disconnected."""
        try:
            async with asyncio.timeout(self._settings.request_seconds * (1 + _SENDING)):
                await self._app(scope, receive, sender)
        except TimeoutError:
            if not sender.begun:
                raise RefusedError(504, TOO_SLOW) from None
            scope.get("extensions", {}).get(ABORT, lambda: None)()
            raise ClientGoneError from None

    async def _send_error(self, refused: RefusedError, scope: Scope, receive: Receive, sender: _Sender) -> None:
        if not sender.begun:
            await refused.response(scope["path"])(scope, receive, sender)

    def _check_host(self, headers: Headers) -> None:
        """Web pages can point a host name of their own at this machine, and would then count as its own origin."""
        if not self._checks_host:
            return
        host = _host_name(headers.get("host", ""))
        if host not in self._names:
            raise RefusedError(403, f"host name {host!r} is not allowed; add it with --name")

    def _check_origin(self, scope: Scope, headers: Headers) -> None:
        """Refuses requests of web pages elsewhere, before any work: a page can send them without reading the answer.

        Browsers send an Origin with most of them, and Sec-Fetch-Site with all that go to localhost or over TLS.
        """
        if scope["method"] == "OPTIONS":  # a browser's question whether it may send a request
            return
        origin = headers.get("origin")
        if origin:
            if not self._allows(origin, headers.get("host", "")):
                raise RefusedError(403, f"web pages of {origin[:100]!r} are not allowed; add the origin with --origin")
        elif headers.get("sec-fetch-site") in _OTHER_SITES and _is_api(scope["path"]) and "*" not in self._origins:
            raise RefusedError(403, "other web pages are not allowed; add their origin with --origin")

    def _allows(self, origin: str, host: str) -> bool:
        """Whether the origin is the server's own page, one given with --origin, or a browser extension."""
        scheme, _, place = origin.partition("://")
        return "*" in self._origins or origin in self._origins or place == host or scheme.endswith("-extension")

    def _check_key(self, scope: Scope, headers: Headers, body: bytearray) -> None:
        """LanguageTool's clients send the key as a form parameter, hence after the body is read."""
        expected, path = self._settings.api_key, scope["path"]
        if expected is None or not _needs_key(path) or scope["method"] == "OPTIONS":
            return
        scheme, _, token = headers.get("authorization", "").partition(" ")
        given = headers.get("x-api-key") or (token.strip() if scheme.lower() == "bearer" else None)
        if not path.startswith(LANGUAGETOOL):
            if not keys_match(given, expected):
                raise RefusedError(401, "send the API key in the header X-API-Key", www_authenticate="Bearer")
            return
        given = given or read_form(scope["query_string"].decode("latin-1"), bytes(body)).get("apiKey")
        if not keys_match(given, expected):
            raise RefusedError(403, "send the API key as the parameter apiKey or in the header X-API-Key")

    async def _read_body(self, headers: Headers, receive: Receive, body: bytearray) -> None:
        limit = self._settings.max_body
        too_long = RefusedError(413, f"the body is longer than {limit:,} bytes", connection="close")
        declared = headers.get("content-length", "")
        if declared.isdecimal() and (len(declared) > len(str(limit)) or int(declared) > limit):
            raise too_long
        try:
            async with asyncio.timeout(self._settings.body_seconds):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise ClientGoneError
                    received = message.get("body", b"")
                    body += received
                    self._held += len(received)
                    if len(body) > limit:
                        raise too_long
                    if self._held > limit * _BODIES:
                        raise RefusedError(503, OVERLOADED, retry_after="1", connection="close")
                    if not message.get("more_body", False):
                        return
        except TimeoutError:
            raise RefusedError(408, "the body was sent too slowly", connection="close") from None


def replay(body: bytes, receive: Receive) -> Receive:
    """Hands over a body that was read before; the only message after it is that the client is gone."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def next_message() -> Message:
        return waiting.pop() if waiting else await receive()

    return next_message


def _is_api(path: str) -> bool:
    return any(path == prefix or path.startswith(f"{prefix}/") for prefix in _API)


def _needs_key(path: str) -> bool:
    return _is_api(path) and path != _KEY_NOT_NEEDED


def _host_name(host: str) -> str:
    """The name in a Host header, without the port and the brackets of an IPv6 address."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""
