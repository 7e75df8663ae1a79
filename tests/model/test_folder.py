"""Loading is strict: what does not fit is refused, with a sentence that says what is wrong."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from redraft.errors import ModelError
from redraft.model.catalogue import locate
from redraft.model.folder import CONFIG, MANIFEST, WEIGHTS, ModelFolder, seal

UP = "encoder.layers.0.ffn.up.weight"


@pytest.fixture
def folder(tiny_model: ModelFolder, tmp_path: Path) -> Path:
    return shutil.copytree(tiny_model.path, tmp_path / "model")


def test_a_good_folder_opens(folder):
    opened = ModelFolder.open(folder)
    assert opened.info.name == "tiny"
    assert opened.parameters == sum(weight.numel() for weight in load_file(folder / WEIGHTS).values())


@pytest.mark.parametrize("name", ["config.json", "weights.safetensors", "tokenizer.json", "card.md", "encoder.onnx"])
def test_one_flipped_byte_is_noticed(folder, name):
    data = bytearray((folder / name).read_bytes())
    data[len(data) // 2] ^= 1
    (folder / name).write_bytes(data)
    with pytest.raises(ModelError, match=name):
        ModelFolder.open(folder)


@pytest.mark.parametrize("name", ["config.json", "weights.safetensors", "tokenizer.json", "card.md", "manifest.json"])
def test_a_missing_file_is_noticed(folder, name):
    (folder / name).unlink()
    with pytest.raises(ModelError, match=name):
        ModelFolder.open(folder)


def change_weights(folder: Path, change: object) -> None:
    weights = load_file(folder / WEIGHTS)
    change(weights)  # type: ignore[operator]
    save_file(weights, folder / WEIGHTS)


def test_missing_extra_and_misshapen_tensors_are_refused(folder):
    good = (folder / WEIGHTS).read_bytes()

    def misshape(weights: dict[str, torch.Tensor]) -> None:
        weights["encoder.norm.weight"] = torch.zeros(3)

    for change, words in (
        (lambda weights: weights.pop("encoder.norm.bias"), "lacks the tensor 'encoder.norm.bias'"),
        (lambda weights: weights.update(spare=torch.zeros(2)), "unknown tensor 'spare'"),
        (misshape, "shape"),
        (lambda weights: weights.update({"encoder.norm.bias": torch.zeros(64, dtype=torch.int32)}), "type I32"),
        (lambda weights: weights.update({"encoder.norm.bias": torch.zeros(64, dtype=torch.int8)}), "no matrix"),
        (lambda weights: weights.update({UP: weights[UP].to(torch.int8)}), f"lacks the tensor '{UP}.scale'"),
        (lambda weights: weights.update({f"{UP}.scale": torch.zeros(128)}), f"unknown tensor '{UP}.scale'"),
        (lambda weights: weights.update({f"{UP}.rest": weights[UP].to(torch.int8)}), f"unknown tensor '{UP}.rest'"),
    ):
        (folder / WEIGHTS).write_bytes(good)
        change_weights(folder, change)
        with pytest.raises(ModelError, match=words):
            seal(folder)


@pytest.mark.parametrize("suffix", [".bin", ".pt", ".pkl"])
def test_a_folder_with_a_pickle_is_refused(folder, suffix):
    (folder / f"optimizer{suffix}").write_bytes(b"\x80\x04.")
    with pytest.raises(ModelError, match="pickle"):
        ModelFolder.open(folder)


def test_a_pickle_in_the_place_of_the_weights_is_refused(folder):
    torch.save({"a": torch.zeros(2)}, folder / WEIGHTS)
    with pytest.raises(ModelError, match="pickle"):
        seal(folder)


@pytest.mark.parametrize("data", [b"", b"short", b"\xff" * 100, (20).to_bytes(8, "little") + b'{"a": 1}'.ljust(20)])
def test_weights_that_are_no_safetensors_are_refused(folder, data):
    (folder / WEIGHTS).write_bytes(data)
    with pytest.raises(ModelError, match=r"weights\.safetensors"):
        seal(folder)


@pytest.mark.parametrize(
    "change",
    [
        {"format": 99},
        {"surprise": 1},
        {"model": {"vocabulary": 10, "colour": "red"}},
        {"info": {"name": "x", "language": "en", "mood": 1}},
        {"info": {}},
        {"info": {"name": "x", "language": "en", "threshold": 7}},
    ],
)
def test_an_unknown_or_bad_entry_in_the_config_is_refused(folder, change):
    config = json.loads((folder / CONFIG).read_text())
    (folder / CONFIG).write_text(json.dumps({**config, **change}))
    with pytest.raises(ModelError, match=r"config\.json"):
        seal(folder)


def test_a_manifest_cannot_point_out_of_the_folder(folder):
    manifest = json.loads((folder / MANIFEST).read_text())
    (folder / MANIFEST).write_text(json.dumps({**manifest, "../secret": "0"}))
    with pytest.raises(ModelError, match="no part of a model folder"):
        ModelFolder.open(folder)


def test_an_unknown_model_name_is_refused(tmp_path):
    with pytest.raises(ModelError, match="klingon"):
        locate("klingon")
    with pytest.raises(ModelError, match="not a model folder"):
        ModelFolder.open(tmp_path / "nowhere")
