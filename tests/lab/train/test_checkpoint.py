from __future__ import annotations

from pathlib import Path

import pytest
import torch

from redraft.errors import InputError
from redraft.lab.train import checkpoint
from redraft.lab.train.checkpoint import LAST, PREVIOUS, Position


def save(folder: Path, step: int) -> None:
    checkpoint.save(
        folder, Position(step=step, partitions={3: [step, 1]}), {"weights.a": torch.full((4,), float(step))}, "me"
    )


def test_a_saved_checkpoint_is_loaded(tmp_path):
    save(tmp_path, 7)
    found = checkpoint.load(tmp_path, "me")
    assert found is not None
    assert found.position == Position(step=7, partitions={3: [7, 1]})
    assert found.part("weights")["a"].tolist() == [7.0] * 4
    assert checkpoint.load(tmp_path / "nowhere", "me") is None


@pytest.mark.parametrize("renames", [0, 1])
def test_a_crash_while_saving_leaves_a_whole_checkpoint(tmp_path, monkeypatch, renames):
    save(tmp_path, 1)
    save(tmp_path, 2)
    left = iter(range(renames))
    original = Path.replace

    def crash(path: Path, target: Path) -> Path:
        if next(left, None) is None:
            raise KeyboardInterrupt
        return original(path, target)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(Path, "replace", crash)
        save(tmp_path, 3)
    found = checkpoint.load(tmp_path, "me")
    assert found is not None and found.position.step == 2
    save(tmp_path, 4)
    found = checkpoint.load(tmp_path, "me")
    assert found is not None and found.position.step == 4


def test_the_previous_checkpoint_is_loaded_if_the_last_is_damaged(tmp_path):
    save(tmp_path, 1)
    save(tmp_path, 2)
    (tmp_path / LAST).write_bytes((tmp_path / LAST).read_bytes()[:50])
    found = checkpoint.load(tmp_path, "me")
    assert found is not None and found.position.step == 1
    (tmp_path / PREVIOUS).write_bytes(b"")
    with pytest.raises(InputError, match="delete them"):
        checkpoint.load(tmp_path, "me")


def test_the_checkpoint_of_another_run_is_refused(tmp_path):
    save(tmp_path, 1)
    with pytest.raises(InputError, match="another model, tokenizer or data"):
        checkpoint.load(tmp_path, "you")


def test_the_next_stage_starts_its_counts_at_zero():
    position = Position(stage=1, step=9, seconds=3.0, partitions={1: [2]}, all_steps=40, pairs=100, best=0.5)
    position.next_stage()
    assert position == Position(stage=2, all_steps=40, pairs=100)
