"""Fixtures every test may use."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

import redraft
from redraft.model.folder import ModelFolder
from redraft.text import traditional


def pytest_report_header() -> str:
    return f"redraft from {Path(redraft.__file__).parent}"


# How long an example takes says more about the machine than about the code.
settings.register_profile("redraft", deadline=None)
settings.load_profile("redraft")


@pytest.fixture(autouse=True, scope="session")
def _home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Tests neither read nor write the dictionaries of whoever runs them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("REDRAFT_HOME", str(tmp_path_factory.mktemp("home")))
        yield


@pytest.fixture
def without_opencc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As if the package were not installed that tells traditional characters from simplified ones."""
    monkeypatch.setitem(sys.modules, "opencc", None)
    traditional._characters.cache_clear()
    yield
    traditional._characters.cache_clear()


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder with corpora and official scorer figures, which is not part of the repository."""
    folder = Path(os.environ.get("REDRAFT_DATA", Path(__file__).parent.parent.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"the data folder {folder} is not here; set REDRAFT_DATA to run this test")
    return folder


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> ModelFolder:
    """A real model of the smallest shape that mends the sentences of `tiny.PAIRS`."""
    from tiny import write_tiny_model  # needs torch, which most tests do not

    return write_tiny_model(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture(scope="session")
def chinese_model(tmp_path_factory: pytest.TempPathFactory) -> ModelFolder:
    """The same for Chinese: it mends the sentences of `tiny.CHINESE_PAIRS`."""
    from tiny import write_chinese_model

    return write_chinese_model(tmp_path_factory.mktemp("models") / "zh")
