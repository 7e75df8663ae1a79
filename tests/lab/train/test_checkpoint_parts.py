from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import torch

from redraft.errors import InputError
from redraft.lab.train import checkpoint
from redraft.lab.train.checkpoint import Position
from redraft.lab.train.checkpoint_parts import MANIFEST, join, main, split
from redraft.lab.train.config import read
from redraft.lab.train.training_run import train

SIZE = 2**19


@pytest.fixture
def saved(tmp_path: Path) -> dict[str, torch.Tensor]:
    torch.manual_seed(0)
    tensors = {
        "weights.large": torch.randn(700, 500),
        "weights.small": torch.randn(3),
        "average.large": torch.randn(700, 500),
        "optimizer.0.exp_avg_sq": torch.rand(350_003) * 1e-10,
        "optimizer.0.step": torch.tensor(12_345.0),
    }
    checkpoint.save(tmp_path, Position(step=7, partitions={3: [7, 1]}), tensors, "me")
    return tensors


def test_a_checkpoint_is_split_into_small_files_and_joined(saved: dict[str, torch.Tensor], tmp_path: Path) -> None:
    files = split(tmp_path, tmp_path / "parts", SIZE)
    assert sorted(files) == sorted((tmp_path / "parts").iterdir())
    assert len(files) > 4 and all(path.stat().st_size <= SIZE for path in files)
    found = join(tmp_path / "parts", "me")
    assert found is not None and found.position == Position(step=7, partitions={3: [7, 1]})
    assert found.tensors.keys() == saved.keys()
    for name, tensor in saved.items():
        assert found.tensors[name].shape == tensor.shape and found.tensors[name].dtype == torch.float32
        torch.testing.assert_close(found.tensors[name], tensor, rtol=1 / 256, atol=0.0 if "optimizer" in name else 1e-7)
    assert float(found.tensors["optimizer.0.step"]) == 12_345


def test_a_second_split_replaces_the_first(saved: dict[str, torch.Tensor], tmp_path: Path) -> None:
    first = split(tmp_path, tmp_path / "parts", SIZE)
    second = split(tmp_path, tmp_path / "parts", 2 * SIZE)
    assert len(second) < len(first) and sorted(second) == sorted((tmp_path / "parts").iterdir())


def test_missing_and_damaged_parts_are_all_named(saved: dict[str, torch.Tensor], tmp_path: Path) -> None:
    parts = tmp_path / "parts"
    assert join(parts, "me") is None
    split(tmp_path, parts, SIZE)
    with pytest.raises(InputError, match="another model, tokenizer or data"):
        join(parts, "you")
    (parts / "part-001.safetensors").unlink()
    (parts / "part-003.safetensors").write_bytes(b"x")
    with pytest.raises(InputError, match=r"part-001\.safetensors, part-003\.safetensors"):
        join(parts, "me")


def test_only_checkpoints_are_split(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    checkpoint.write_tensors(tmp_path / "other.safetensors", {"a": torch.ones(1)}, {})
    assert main([str(tmp_path / "other.safetensors"), str(tmp_path / "parts")]) == 2
    assert main([str(tmp_path / "nothing"), str(tmp_path / "parts")]) == 2
    message = capsys.readouterr().err
    assert "is not a checkpoint" in message and "no such file" in message


def test_a_run_goes_on_from_parts_and_a_stage_can_be_extended(config_file, tmp_path: Path, capsys) -> None:
    """What a chain of machines does: train at a constant rate, keep the state in 16 bits, go on elsewhere."""
    path = config_file()
    first = ["schedule=constant", "warmup_steps=1", "batches=[{packs=1}]", "keep_checkpoint=true", "final_weights=last"]
    common = [*(f"stages.first.{change}" for change in first), "stages.second.steps=1"]
    one, two, straight = tmp_path / "one", tmp_path / "two", tmp_path / "straight"
    train(read(path, [*common, "stages.first.steps=3", f"folder={one}"]))
    assert main([str(one / "end-of-first.safetensors"), str(two / "checkpoint")]) == 0
    assert str(two / "checkpoint" / MANIFEST) in capsys.readouterr().out
    longer = [*common, "stages.first.steps=6", "stages.first.decay_steps=2"]
    assert train(read(path, [*longer, f"folder={two}"]), resume=True).finished
    assert "continuing stage 1 at step 3" in capsys.readouterr().err
    train(read(path, [*longer, f"folder={straight}"]))
    shutil.rmtree(one)
    expected, found = (checkpoint.read_tensors(folder / "model" / "weights.safetensors") for folder in (straight, two))
    for name, tensor in expected.items():
        torch.testing.assert_close(found[name], tensor, rtol=0.02, atol=2e-3)
