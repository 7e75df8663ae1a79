"""Fixtures every test may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder with corpora and official scorer figures, which is not part of the repository."""
    folder = Path(os.environ.get("REDRAFT_DATA", Path(__file__).parent.parent.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"the data folder {folder} is not here; set REDRAFT_DATA to run this test")
    return folder
