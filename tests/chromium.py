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
_NAMES = ("chromium", "chromium-browser", "google-chrome")


def find_chromium(driver: Any, tested: str) -> str:
    """The browser that playwright installed, or else the system's; skips the test of `tested` if there is none."""
    own = Path(driver.chromium.executable_path)
    found = str(own) if own.exists() else next(filter(None, map(shutil.which, _NAMES)), None)
    if found is None:
        pytest.skip(f"there is no Chromium here; install it to test {tested}")
    return found
