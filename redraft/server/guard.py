"""What stands between the network and the server: who may ask, from where, how much and how slowly."""

from __future__ import annotations

import asyncio
import logging
import secrets
import traceback
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from redraft.json_text import to_json
from redraft.server.settings import ServerSettings

_LOG = logging.getLogger("redraft.server")
_LOOPBACK_NAMES = ("localhost", "127.0.0.1", "::1")
LANGUAGETOOL = "/v2"
"""Where LanguageTool's API lies, whose clients want errors of their own kind."""
_HEADERS = {
    "content-security-policy": "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "object-src 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
}


class RefusedError(Exception):
    """A request that is not answered, and what its sender is told."""

    def __init__(self, status: int, message: str, **headers: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}

    def response(self, path: str) -> Response:
        """LanguageTool's clients expect plain text, all others JSON."""
        if path == LANGUAGETOOL or path.startswith(f"{LANGUAGETOOL}/"):
            return PlainTextResponse(f"Error: {self.message}", self.status, self.headers)
        return json_response({"error": self.message}, self.status, **self.headers)


class GoneError(Exception):
    """The client went away; there is nobody to answer."""


def json_response(value: Any, status: int = 200, **headers: str) -> Response:
    """What depends on a user's text is kept by nobody on the way."""
    return Response(to_json(value), status, {"cache-control": "no-store", **headers}, "application/json")


def allow_key(given: str | None, wanted: str | None) -> bool:
    """Compares in constant time, so that the time of an answer tells nothing of the key."""
    return wanted is None or secrets.compare_digest((given or "").encode(errors="replace"), wanted.encode())


@dataclass(slots=True)
class _Reply:
    """What has been sent of an answer."""

    send: Send
    begun: bool = False
    headers: dict[str, str] = field(default_factory=dict)

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.begun = True
            headers = MutableHeaders(scope=message)
            for name, value in self.headers.items():
                headers.setdefault(name, value)
        await self.send(message)


class Guard:
    """Refuses what must not reach the application, and keeps what fails there from showing a user's text.

    Bodies are read here, whole, so that the application behind never waits for a slow client.
    """

    def __init__(self, app: ASGIApp, settings: ServerSettings) -> None:
        self._app = app
        self._settings = settings
        self._names = {name.lower() for name in (*_LOOPBACK_NAMES, settings.host, *(settings.name or ()))}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        reply = _Reply(send, headers=_HEADERS)
        try:
            self._admit(scope["path"], scope["method"], Headers(scope=scope))
            body = await self._read(Headers(scope=scope), receive)
            await self._app(scope, replay(body, receive), reply)
        except RefusedError as refused:
            await self._answer(refused, scope, receive, reply)
        except GoneError:
            return
        except Exception as error:
            await self._answer(report(error, scope), scope, receive, reply)

    async def _answer(self, refused: RefusedError, scope: Scope, receive: Receive, reply: _Reply) -> None:
        if not reply.begun:
            await refused.response(scope["path"])(scope, receive, reply)

    def _admit(self, path: str, method: str, headers: Headers) -> None:
        host = _host_name(headers.get("host", ""))
        if (self._settings.is_local or self._settings.name) and host not in self._names:
            # A page on the web can have its own name point at this machine, and would then count as its origin.
            raise RefusedError(403, "the server is not called by this name; allow it with --name")
        origin = headers.get("origin")
        if origin and method not in ("GET", "HEAD", "OPTIONS") and not self._allows(origin, headers.get("host", "")):
            raise RefusedError(403, "pages of this origin may not use the server; allow them with --origin")
        if path.startswith("/v1/") or path == "/metrics":
            scheme, _, token = headers.get("authorization", "").partition(" ")
            given = headers.get("x-api-key") or (token.strip() if scheme.lower() == "bearer" else None)
            if method != "OPTIONS" and not allow_key(given, self._settings.api_key):
                raise RefusedError(401, "give the API key in the header X-API-Key", www_authenticate="Bearer")

    def _allows(self, origin: str, host: str) -> bool:
        """Its own page, pages that were named, and extensions of the browser, which are no pages of the web."""
        allowed = self._settings.origin or ()
        scheme, _, place = origin.partition("://")
        return "*" in allowed or origin in allowed or place == host or scheme.endswith("-extension")

    async def _read(self, headers: Headers, receive: Receive) -> bytes:
        limit = self._settings.max_body
        too_long = RefusedError(413, f"the body is longer than {limit:,} bytes", connection="close")
        declared = headers.get("content-length", "")
        if declared.isdecimal() and int(declared) > limit:
            raise too_long
        body = bytearray()
        try:
            async with asyncio.timeout(self._settings.body_seconds):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise GoneError
                    body += message.get("body", b"")
                    if len(body) > limit:
                        raise too_long
                    if not message.get("more_body", False):
                        return bytes(body)
        except TimeoutError:
            raise RefusedError(408, "the body came too slowly", connection="close") from None


class ImpatientProtocol(H11Protocol):
    """HTTP that closes a connection whose headers do not come; uvicorn itself would wait for them for ever."""

    header_seconds: float
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._forget()

    def _watch(self) -> None:
        if self.cycle is not None and not self.cycle.response_complete:
            self._forget()
        elif self._deadline is None and not self.transport.is_closing():
            self._deadline = self.loop.call_later(self.header_seconds, self._give_up)

    def _forget(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _give_up(self) -> None:
        self._deadline = None
        if (self.cycle is None or self.cycle.response_complete) and not self.transport.is_closing():
            self.transport.close()


def impatient(seconds: float) -> type[ImpatientProtocol]:
    """The protocol with its patience; uvicorn makes an object of the class for every connection."""
    return type("Protocol", (ImpatientProtocol,), {"header_seconds": seconds})


def replay(body: bytes, receive: Receive) -> Receive:
    """Hands the body over as if it came just now; what comes after it is the client going away."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def next_message() -> Message:
        return waiting.pop() if waiting else await receive()

    return next_message


def report(error: Exception, scope: Scope) -> RefusedError:
    """Logs the kind of a failure and where it came up, but not what it says: that may quote a user's text."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f"{frames[-1].filename}:{frames[-1].lineno}" if frames else "an unknown place"
    route = getattr(scope.get("route"), "path", "an unknown path")
    _LOG.error("%s %s failed: %s at %s", scope["method"], route, type(error).__name__, place)
    return RefusedError(500, "the server failed; its log says where")


def _host_name(host: str) -> str:
    """The name in a Host header, without the port and the brackets of an IPv6 address."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""
