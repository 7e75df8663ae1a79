"""The server as an ASGI application: routes, middleware and error responses."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response

from redraft import __version__
from redraft.check.corrector import Corrector
from redraft.check.user_rules import UserRulesStore
from redraft.server import languagetool, native_api
from redraft.server.guard import Guard
from redraft.server.metrics import MetricsMiddleware
from redraft.server.page import add_page
from redraft.server.responses import RefusedError
from redraft.server.service import Service
from redraft.server.settings import ServerSettings

_INVALID_JSON = "the body is not valid JSON"


def create_app(
    corrector: Corrector, user_rules: UserRulesStore, settings: ServerSettings, parameters: int | None = None
) -> FastAPI:
    """Creates the application. `parameters` is the number of weights of the model, for /v1/info."""
    service = Service(corrector, user_rules, settings)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        await asyncio.to_thread(service.close)

    app = FastAPI(
        title="Redraft",
        version=__version__,
        summary="Corrects grammar, spelling and punctuation on this machine.",
        lifespan=lifespan,
        docs_url=None,  # FastAPI's documentation page loads scripts from other servers
        redoc_url=None,
    )
    app.include_router(native_api.create_router(service, parameters))
    app.include_router(native_api.create_operations_router(service))
    app.include_router(languagetool.create_router(service))
    add_page(app)
    app.add_exception_handler(HTTPException, _handle_http_error)
    app.add_exception_handler(RequestValidationError, _handle_invalid_request)
    app.add_exception_handler(RefusedError, _handle_refused)
    if settings.origin:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=settings.origin,
            allow_methods=["GET", "POST", "DELETE"],
            allow_headers=["content-type", "x-api-key", "authorization"],
        )
    app.add_middleware(Guard, settings=settings)
    app.add_middleware(MetricsMiddleware, metrics=service.metrics)
    app.state.service = service
    return app


async def _handle_refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, RefusedError)
    return error.response(request.scope["path"])


async def _handle_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    messages = {400: _INVALID_JSON, 404: "path not found", 405: "method not allowed for this path"}
    refused = RefusedError(error.status_code, messages.get(error.status_code, str(error.detail)))
    response = refused.response(request.scope["path"])
    response.headers.update(error.headers or {})
    return response


async def _handle_invalid_request(request: Request, error: Exception) -> Response:
    """One line that names the field, without its value, which may be a user's text."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    if first["type"] == "json_invalid":
        return RefusedError(400, _INVALID_JSON).response(request.scope["path"])
    if first["loc"] == ("body",):  # another content type, or a list, a number
        message = "send a JSON object, with the header Content-Type: application/json"
        return RefusedError(422, message).response(request.scope["path"])
    place = ".".join(str(part) for part in first["loc"] if part not in ("body", "query"))
    message = first["msg"].removeprefix("Value error, ")
    return RefusedError(422, f"{place}: {message}" if place else message).response(request.scope["path"])
