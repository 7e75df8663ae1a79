"""Finds a Chromium for tests that drive a real browser."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
PATIENCE_MILLISECONDS = 60_000
"""How long tests wait for what a page should do. Only a failure waits to the end."""
_NAMES = ("chromium", "chromium-browser", "google-chrome")


def find_chromium(driver: Any, tested: str) -> str:
    """The browser that playwright installed, or else the system's; skips the test of `tested` if there is none."""
    own = Path(driver.chromium.executable_path)
    found = str(own) if own.exists() else next(filter(None, map(shutil.which, _NAMES)), None)
    if found is None:
        pytest.skip(f"there is no Chromium here; install it to test {tested}")
    return found


def be_patient(context: Any) -> None:
    """Makes the pages of a browser's context, and all expectations, wait for as long as a busy machine may need."""
    from playwright.sync_api import expect

    context.set_default_timeout(PATIENCE_MILLISECONDS)
    expect.set_options(timeout=PATIENCE_MILLISECONDS)
