from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from redraft.errors import ModelError
from redraft.lab.tagger.folder import LAYER, SETTINGS, TAGS, TaggerFolder, TaggerOptions, seal, write_layer
from redraft.lab.tagger.quantize import main
from redraft.model.folder import ModelFolder


@pytest.fixture
def copy(trained: TaggerFolder, tmp_path: Path) -> Path:
    return shutil.copytree(trained.path, tmp_path / "copy")


def test_a_folder_is_read_as_it_was_written(trained, copy):
    found = TaggerFolder.open(copy)
    assert found.vocabulary.tags == trained.vocabulary.tags and found.options == trained.options
    assert np.array_equal(found.layer.weight, trained.layer.weight)


@pytest.mark.parametrize("name", [TAGS, LAYER, SETTINGS])
def test_a_missing_or_changed_file_is_refused(copy, name):
    data = (copy / name).read_bytes()
    (copy / name).write_bytes(data.replace(b"KEEP", b"KEPT").replace(b"format", b"norm")[:-1])
    with pytest.raises(ModelError):
        TaggerFolder.open(copy)
    (copy / name).unlink()
    with pytest.raises(ModelError, match=name):
        TaggerFolder.open(copy)


def test_a_layer_of_another_shape_is_refused(trained, copy):
    write_layer(copy / LAYER, trained.layer.weight[:, 1:], trained.layer.bias)
    with pytest.raises(ModelError, match="does not fit"):
        seal(copy, trained.options)
    write_layer(copy / LAYER, trained.layer.weight * np.nan, trained.layer.bias)
    with pytest.raises(ModelError, match="not finite"):
        seal(copy, TaggerOptions())


def test_a_tagger_is_no_model_folder(trained):
    with pytest.raises(ModelError, match="not a complete model folder"):
        ModelFolder.open(trained.path)


def test_the_command_writes_bytes(trained, tmp_path):
    assert main([str(trained.path), str(tmp_path / "new")]) == 0
    found = TaggerFolder.open(tmp_path / "new")
    assert found.encoder.tensors["encoder.layers.0.ffn.up.weight"].dtype == "I8" and not found.encoder.precisions
    assert main([str(trained.path), str(tmp_path / "new")]) == 2, "the folder is not empty"
