"""A server without a network for the tests of the server."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from served import converse


@pytest.fixture
def ask(tmp_path: Path) -> Callable[..., httpx.Response]:
    """Sends one request to a new server, and returns the response."""

    def ask(method: str, path: str, settings: dict[str, Any] | None = None, **request: Any) -> httpx.Response:
        return converse(tmp_path, lambda client: client.request(method, path, **request), **(settings or {}))

    return ask
