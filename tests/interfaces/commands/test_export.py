from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from redraft.model.folder import DECODER_GRAPH, ENCODER_GRAPH, ModelFolder, seal

Run = Callable[..., Any]


def test_graphs_are_made_anew(run: Run, tiny_model: ModelFolder, tmp_path: Path) -> None:
    folder = tmp_path / "bare"
    shutil.copytree(tiny_model.path, folder)
    for name in (ENCODER_GRAPH, DECODER_GRAPH):
        (folder / name).unlink()
    seal(folder)
    advice = run("fix", "He have two cat.", "--model", folder)
    assert advice.code == 2
    assert f"run `redraft export {folder}`" in advice.err
    assert run("export", folder).code == 0
    assert run("fix", "He have two cat.", "--model", folder).text == "He has two cats.\n"


def test_a_folder_that_is_no_model_is_refused(run: Run, tmp_path: Path) -> None:
    outcome = run("export", tmp_path)
    assert outcome.code == 2
    assert "not a complete model folder" in outcome.err
