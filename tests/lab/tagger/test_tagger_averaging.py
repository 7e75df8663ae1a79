from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from redraft.errors import InputError
from redraft.lab.tagger.averaging import average_taggers
from redraft.lab.tagger.folder import TaggerFolder
from redraft.lab.tagger.network import LAYER
from redraft.lab.train.checkpoint import read_tensors, write_tensors
from redraft.lab.train.model_writer import average_models


@pytest.fixture
def files(trained: TaggerFolder, tmp_path: Path) -> list[Path]:
    """The weights of the tagger as in a checkpoint, and three times these weights as kept by a run."""
    weights = read_tensors(trained.encoder.weights)
    weights |= {f"{LAYER}.{name}": torch.tensor(getattr(trained.layer, name)) for name in ("weight", "bias")}
    once, thrice = tmp_path / "last.safetensors", tmp_path / "weights-0-2.safetensors"
    write_tensors(once, {f"weights.{name}": tensor for name, tensor in weights.items()}, {})
    write_tensors(thrice, {name: 3 * tensor.float() for name, tensor in weights.items()}, {})
    return [once, thrice]


def test_the_mean_of_taggers(trained, files, tmp_path):
    mean = average_taggers(trained.path, files, tmp_path / "mean")
    before, after = read_tensors(trained.encoder.weights), read_tensors(mean.encoder.weights)
    assert all(torch.equal(after[name], 2 * before[name]) for name in before)
    assert np.array_equal(mean.layer.weight, 2 * trained.layer.weight)
    assert np.array_equal(mean.layer.bias, 2 * trained.layer.bias)
    assert (mean.vocabulary, mean.options) == (trained.vocabulary, trained.options)
    assert "mean of 2 checkpoints" in mean.encoder.card.read_text(encoding="utf-8")


def test_the_folder_itself_and_weights_of_a_corrector_are_refused(trained, files, tmp_path):
    with pytest.raises(
        InputError, match="is the folder that all but the weights comes from; write the average to another folder"
    ):
        average_taggers(trained.path, files, trained.path)
    with pytest.raises(InputError, match=f"other weights than .*: see the tensor {LAYER}"):
        average_taggers(trained.path, [trained.encoder.weights], tmp_path / "mean")
    with pytest.raises(InputError, match=f"other weights than .*: see the tensor {LAYER}"):
        average_models(trained.encoder.path, files, tmp_path / "mean")


def test_the_command_averages_taggers(run, trained, files, tmp_path):
    outcome = run("average", trained.path, *files, "-o", tmp_path / "mean")
    assert (outcome.code, outcome.out) == (0, b"")
    assert TaggerFolder.open(tmp_path / "mean").vocabulary == trained.vocabulary
