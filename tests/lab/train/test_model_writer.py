from __future__ import annotations

from pathlib import Path

import pytest
import torch

from redraft.errors import InputError
from redraft.lab.train.checkpoint import read_tensors, write_tensors
from redraft.lab.train.model_writer import average_models, write_model
from redraft.model.config import preset
from redraft.model.folder import ModelFolder, ModelInfo
from redraft.model.transformer import Transformer
from redraft.tokens.tokenizer import Tokenizer


@pytest.fixture
def model(world: Path, tmp_path: Path) -> ModelFolder:
    config = preset("tiny", vocabulary=Tokenizer.load(world / "tokenizer.json").size)
    weights = Transformer(config).weights()
    return write_model(tmp_path / "model", weights, config, world / "tokenizer.json", ModelInfo("x", "en"), "A card.\n")


def test_the_folder_is_whole_and_of_half_precision(model):
    assert {tensor.dtype for tensor in model.tensors.values()} == {"F16"}
    assert ModelFolder.open(model.path).info == ModelInfo("x", "en")


def test_the_mean_of_weights_and_checkpoints(model, tmp_path):
    weights = read_tensors(model.weights)
    write_tensors(tmp_path / "a.safetensors", {name: torch.zeros_like(tensor) for name, tensor in weights.items()}, {})
    marked = {f"weights.{name}": torch.full_like(tensor, 2.0) for name, tensor in weights.items()}
    marked |= {f"average.{name}": torch.full_like(tensor, 9.0) for name, tensor in weights.items()}
    write_tensors(tmp_path / "b.safetensors", marked, {})
    mean = average_models(model.path, [tmp_path / "a.safetensors", tmp_path / "b.safetensors"], tmp_path / "mean")
    assert all((tensor == 1.0).all() for tensor in read_tensors(mean.weights).values())


def test_the_folder_itself_is_not_overwritten(model, tmp_path):
    before = model.weights.read_bytes()
    (tmp_path / "link").symlink_to(model.path)
    for output in (model.path, tmp_path / "link"):
        with pytest.raises(
            InputError, match="is the folder that all but the weights comes from; write the average to another folder"
        ):
            average_models(model.path, [model.weights], output)
    assert model.weights.read_bytes() == before


def test_weights_of_another_model_are_refused(model, tmp_path):
    write_tensors(tmp_path / "a.safetensors", {"other": torch.zeros(1)}, {})
    with pytest.raises(InputError, match="other weights"):
        average_models(model.path, [tmp_path / "a.safetensors"], tmp_path / "mean")
