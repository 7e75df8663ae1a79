from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from redraft.model.folder import GRAPHS, ModelFolder, seal

Run = Callable[..., Any]


def test_missing_graphs_are_written(run: Run, tiny_model: ModelFolder, tmp_path: Path) -> None:
    folder = tmp_path / "bare"
    shutil.copytree(tiny_model.path, folder)
    for names in GRAPHS.values():
        (folder / names.encoder).unlink()
        (folder / names.decoder).unlink()
    seal(folder)
    advice = run("fix", "He have two cat.", "--model", folder)
    assert advice.code == 2
    assert f"`redraft export {folder}`" in advice.err
    assert run("export", folder).code == 0
    assert run("fix", "He have two cat.", "--model", folder).text == "He has two cats.\n"


def test_a_copy_with_8_bit_weights_is_smaller_and_corrects(run: Run, tiny_model: ModelFolder, tmp_path: Path) -> None:
    new = tmp_path / "new"
    assert run("export", tiny_model.path, "--int8", new).code == 0
    assert ModelFolder.open(new).weights.stat().st_size < tiny_model.weights.stat().st_size
    for precision in GRAPHS:
        outcome = run("fix", "He have two cat.", "--model", new, "--precision", precision)
        assert outcome.text == "He has two cats.\n"
    again = run("export", tiny_model.path, "--int8", new)
    assert again.code == 2
    assert "not empty" in again.err


def test_a_folder_that_is_no_model_is_refused(run: Run, tmp_path: Path) -> None:
    outcome = run("export", tmp_path)
    assert outcome.code == 2
    assert "not a complete model folder" in outcome.err
