"""JSON responses, and the exceptions that become error responses."""

from __future__ import annotations

import logging
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

from starlette.responses import PlainTextResponse, Response
from starlette.types import Scope

from redraft.json_text import to_json
from redraft.server.log import describe_error

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

LANGUAGETOOL = "/v2"
"""Path prefix of LanguageTool's API, whose clients expect errors as plain text."""
OVERLOADED = "too many requests are waiting; try again in a moment"
TOO_SLOW = "the answer took too long; send a shorter text"
_LOG = logging.getLogger("redraft.server")


class RefusedError(Exception):
    """A request is refused with this status, message and headers."""

    def __init__(self, status: int, message: str, **headers: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}

    def response(self, path: str) -> Response:
        """Plain text for LanguageTool's clients, JSON for all others."""
        if path == LANGUAGETOOL or path.startswith(f"{LANGUAGETOOL}/"):
            return PlainTextResponse(f"Error: {self.message}", self.status, self.headers)
        return json_response({"error": self.message}, self.status, **self.headers)


class ClientGoneError(Exception):
    """The client closed the connection, so no response can be sent."""


def json_response(value: Any, status: int = 200, **headers: str) -> Response:
    """A JSON response that no cache may store, since it can contain a user's text."""
    return Response(to_json(value), status, {"cache-control": "no-store", **headers}, "application/json")


def reply_response(reply: DataclassInstance) -> Response:
    return json_response(reply_to_mapping(reply))


def reply_to_mapping(reply: DataclassInstance) -> dict[str, Any]:
    """The fields of a reply and of the records in it, without optional ones that are None."""
    return {
        field.name: _to_plain(value)
        for field in fields(reply)
        if (value := getattr(reply, field.name)) is not None or field.default is not None
    }


def _to_plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_to_plain(one) for one in value]
    return reply_to_mapping(value) if is_dataclass(value) and not isinstance(value, type) else value


def stopping() -> RefusedError:
    """The refusal of a request that the server cannot finish because it is being stopped."""
    return RefusedError(503, "the server is being stopped", retry_after="1", connection="close")


def log_failure(error: Exception, scope: Scope) -> RefusedError:
    """Logs the type and place of an unexpected exception, not its message, which may quote a user's text."""
    route = getattr(scope.get("route"), "path", "an unknown path")
    _LOG.error("%s %s failed: %s", scope["method"], route, describe_error(error))
    return RefusedError(500, "the server failed; its log says where")
