"""The web page: a route for each of its files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response

WEB = Path(__file__).parent.parent / "web"


def add_page(app: FastAPI) -> None:
    """Adds one route per file: a folder mounted at / would also answer every unknown path of the API."""
    files = {file.relative_to(WEB).as_posix(): file for file in sorted(WEB.rglob("*")) if file.is_file()}
    for name, file in files.items():
        path = "/" if name == "index.html" else f"/{name}"
        app.add_route(path, _serve_file(file), methods=["GET"], include_in_schema=False)
    if "index.html" not in files:
        missing = "The web page of Redraft is not installed. Its API is at /v1 and /v2.\n"
        app.add_route("/", lambda request: PlainTextResponse(missing), methods=["GET"], include_in_schema=False)


def _serve_file(file: Path) -> Callable[[Request], Response]:
    return lambda request: FileResponse(file, headers={"cache-control": "no-cache"})
