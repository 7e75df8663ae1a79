from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session", autouse=True)
def _one_thread() -> Iterator[None]:
    """Training tiny models takes one thread. Tests that do not need torch do not load it."""
    if "torch" not in sys.modules:
        yield
        return
    from threads import one_thread

    with one_thread():
        yield
