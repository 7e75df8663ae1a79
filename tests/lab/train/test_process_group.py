from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from redraft.errors import ConfigError
from redraft.lab.train.checkpoint import read_tensors
from redraft.lab.train.config import read
from redraft.lab.train.process_group import ProcessGroup, choose_device
from redraft.lab.train.training_run import train

ROOT = Path(__file__).parents[3]
SHORT = [
    "stages.first.steps=3",
    "stages.first.accumulate=2",
    "stages.first.batches=[{packs=1}]",
    "stages.second.steps=2",
]


def test_two_processes_train_like_one_that_accumulates_twice(config_file, tmp_path):
    path = config_file()
    train(read(path, [*SHORT, f"folder={tmp_path / 'one'}"]))
    changes = [part for change in (*SHORT, f"folder={tmp_path / 'two'}") for part in ("--set", change)]
    launch = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [*launch, "-m", "redraft.lab.train", str(path), *changes],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    one, two = (read_tensors(tmp_path / name / "model" / "weights.safetensors") for name in ("one", "two"))
    for name, tensor in one.items():
        torch.testing.assert_close(two[name], tensor, rtol=1e-2, atol=1e-3)


def test_a_group_of_one_decides_alone():
    group = ProcessGroup()
    assert group.broadcast(0.25) == 0.25
    assert group.any(True) and not group.broadcast_flag(False)
    assert group.gather("here") == ["here"]


def test_a_device_that_is_not_there_is_refused():
    with pytest.raises(ConfigError, match=r"run\.device"):
        choose_device("abacus")
