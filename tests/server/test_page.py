from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from redraft.server import page

Ask = Callable[..., httpx.Response]


def test_the_page_is_served_under_a_strict_policy(ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "WEB", tmp_path / "web")
    assert "not installed" in ask("GET", "/").text
    (tmp_path / "web").mkdir()
    (tmp_path / "web" / "index.html").write_text("<title>Redraft</title>", encoding="utf-8")
    (tmp_path / "web" / "page.js").write_text("'use strict'", encoding="utf-8")
    index = ask("GET", "/")
    assert index.text == "<title>Redraft</title>"
    assert index.headers["content-type"].startswith("text/html")
    assert ask("GET", "/page.js").headers["content-type"].startswith("text/javascript")
    assert ask("HEAD", "/").status_code == 200
    assert index.headers["content-security-policy"].startswith("default-src 'self';")
    assert ask("GET", "/../served.py").status_code == 404
    assert ask("GET", "/v1/info").status_code == 200
