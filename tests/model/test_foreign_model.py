from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import foreign
import pytest
import torch
from safetensors.torch import load_file, save_file

from redraft.errors import ModelError
from redraft.model.foreign_model import read


def change_config(path: Path, **changes: Any) -> None:
    config = json.loads((path / "config.json").read_text())
    (path / "config.json").write_text(json.dumps({**config, **changes}))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"model_type": "mbart"}, "'mbart'"),
        ({"activation_function": "gelu_new"}, "'gelu_new'"),
        ({"decoder_attention_heads": 4}, "heads"),
        ({"eos_token_id": [2, 3]}, "eos_token_id"),
        ({"d_model": 32}, "shape"),
        ({"max_position_embeddings": 20}, "shape"),
        ({"tie_word_embeddings": False}, "no output layer"),
    ],
)
def test_a_network_that_is_not_supported_is_refused(changes, message, tmp_path):
    foreign.make_bart().save_pretrained(tmp_path)
    change_config(tmp_path, **changes)
    with pytest.raises(ModelError, match=message):
        read(tmp_path)


@pytest.mark.parametrize(
    ("name", "tensor", "message"),
    [
        ("model.encoder.layer_norm.weight", torch.zeros(16), "unknown tensor"),
        ("model.decoder.layers.0.fc1.bias", None, "has no tensor"),
        ("model.decoder.embed_tokens.weight", torch.zeros(40, 16), "different embeddings"),
    ],
)
def test_missing_and_unknown_tensors_are_refused(name, tensor, message, tmp_path):
    foreign.make_bart().save_pretrained(tmp_path)
    tensors = load_file(tmp_path / "model.safetensors")
    tensors.pop(name, None)
    save_file(tensors if tensor is None else {**tensors, name: tensor}, tmp_path / "model.safetensors")
    with pytest.raises(ModelError, match=message):
        read(tmp_path)


def test_marians_stored_positions_must_be_its_sinusoids(tmp_path):
    model = foreign.make_marian()
    model.save_pretrained(tmp_path)
    tensors = load_file(tmp_path / "model.safetensors")
    table = model.model.encoder.embed_positions.weight.detach().clone()
    name = "model.encoder.embed_positions.weight"
    save_file({**tensors, name: table}, tmp_path / "model.safetensors")
    assert read(tmp_path).config.positions == "sinusoidal"
    save_file({**tensors, name: table.flip(0).contiguous()}, tmp_path / "model.safetensors")
    with pytest.raises(ModelError, match="sinusoids"):
        read(tmp_path)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"arch": "mbart_large"}, "'mbart_large'"),
        ({"activation_fn": "gelu_fast"}, "'gelu_fast'"),
        ({"decoder_normalize_before": True}, "differ"),
        ({"no_token_positional_embeddings": True}, "without positions"),
        ({"encoder_attention_heads": None}, "encoder_attention_heads"),
        ({"layernorm_embedding": True}, "unknown tensor"),
    ],
)
def test_fairseq_models_unlike_ours_are_refused(changes, message, tmp_path):
    checkpoint = foreign.make_fairseq(**changes)
    if "layernorm_embedding" in changes:
        checkpoint["args"].layernorm_embedding = False
    torch.save(checkpoint, tmp_path / "model.pt")
    with pytest.raises(ModelError, match=message):
        read(tmp_path / "model.pt")


class Intruder:
    ran = False

    def __setstate__(self, state: object) -> None:
        Intruder.ran = True


def test_a_pickle_with_other_objects_than_tensors_is_not_opened(tmp_path):
    torch.save({**foreign.make_fairseq(), "task_state": Intruder()}, tmp_path / "model.pt")
    with pytest.raises(ModelError, match="could run code"):
        read(tmp_path / "model.pt")
    assert not Intruder.ran
    (tmp_path / "model.pt").write_bytes(b"not a pickle")
    with pytest.raises(ModelError, match="damaged"):
        read(tmp_path / "model.pt")


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ([torch.zeros(2)], "without named tensors"),
        ({"weights": {}}, "no 'model'"),
        ({"model": {"encoder.fc1.weight": torch.zeros(2)}}, "neither 'args' nor 'cfg'"),
        ({"model": {"encoder.fc1.weight": torch.zeros(2)}, "args": {"arch": "bart_base"}}, "has no embeddings"),
    ],
)
def test_a_pickle_that_is_no_checkpoint_is_refused(state, message, tmp_path):
    torch.save(state, tmp_path / "model.pt")
    with pytest.raises(ModelError, match=message):
        read(tmp_path / "model.pt")


def test_missing_files_are_named(tmp_path):
    with pytest.raises(ModelError, match="no such file"):
        read(tmp_path / "nowhere")
    with pytest.raises(ModelError, match=r"no config\.json"):
        read(tmp_path)
    for name in ("a.pt", "b.pt"):
        (tmp_path / name).write_bytes(b"")
    with pytest.raises(ModelError, match="2 checkpoints"):
        read(tmp_path)
    (tmp_path / "config.json").write_text('{"model_type": "bart"}')
    with pytest.raises(ModelError, match=r"neither model\.safetensors"):
        read(tmp_path)
    (tmp_path / "model.safetensors").write_bytes(b"nonsense")
    with pytest.raises(ModelError, match="not a safetensors file"):
        read(tmp_path)
    (tmp_path / "config.json").write_text("{")
    with pytest.raises(ModelError, match="not JSON"):
        read(tmp_path)
