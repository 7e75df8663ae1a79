from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from redraft.model.folder import ModelFolder, seal, write_config

Run = Callable[..., Any]


def test_a_model_folder_becomes_installable(run: Run, tiny_model: ModelFolder, tmp_path: Path) -> None:
    folder = shutil.copytree(tiny_model.path, tmp_path / "model")
    write_config(folder, replace(tiny_model.info, name="en-open"), tiny_model.config)
    seal(folder)
    outcome = run("package", folder, "--version", "0.2.0")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.text == f"redraft-model-en-open 0.2.0: build it with `python -m build --wheel {folder}`\n"
    assert (folder / "pyproject.toml").is_file() and (folder / "LICENSE").is_file()
    again = run("package", folder)
    assert again.code == 2 and "exists already" in again.err
