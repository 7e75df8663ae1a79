from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from training_world import make_world, write_config


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("world")
    make_world(folder)
    return folder


@pytest.fixture
def config_file(world: Path, tmp_path: Path) -> Callable[[], Path]:
    return lambda: write_config(world, tmp_path)
