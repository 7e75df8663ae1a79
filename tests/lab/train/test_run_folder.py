from __future__ import annotations

import pytest
import torch

from redraft.errors import ConfigError, InputError
from redraft.lab.train.checkpoint import LAST, PREVIOUS, Position, save
from redraft.lab.train.checkpoint_parts import PARTS, split
from redraft.lab.train.run_folder import load_checkpoint, load_position, refuse_to_overwrite


def test_the_position_is_that_of_the_checkpoint(tmp_path):
    """Of the last one, of the one before if the last is damaged, of the parts if there are no others."""
    assert load_position(tmp_path, "mark") is None
    for step in (1, 2):
        save(tmp_path, Position(step=step), {"weights.a": torch.zeros(3)}, "mark")
    assert load_position(tmp_path, "mark") == Position(step=2)
    with pytest.raises(InputError, match="belongs to another model"):
        load_position(tmp_path, "other mark")
    (tmp_path / LAST).write_bytes((tmp_path / LAST).read_bytes()[:-4])
    assert load_position(tmp_path, "mark") == Position(step=1)
    split(tmp_path / PREVIOUS, tmp_path / PARTS)
    for name in (LAST, PREVIOUS):
        (tmp_path / name).unlink()
    assert load_position(tmp_path, "mark") == Position(step=1)
    found = load_checkpoint(tmp_path, "mark")
    assert found is not None and found.position == Position(step=1)


@pytest.mark.parametrize("name", [LAST, PREVIOUS, PARTS, "variants"])
def test_a_folder_with_a_run_is_not_overwritten(tmp_path, name):
    refuse_to_overwrite(tmp_path)
    (tmp_path / name).mkdir()
    with pytest.raises(ConfigError, match="--resume"):
        refuse_to_overwrite(tmp_path)
