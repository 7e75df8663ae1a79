from __future__ import annotations

import json
import math

import torch

from redraft.lab.train import loss as losses
from redraft.lab.train.config import read
from redraft.lab.train.loop import set_dropout
from redraft.lab.train.training_run import train
from redraft.model.config import preset
from redraft.model.transformer import Transformer


def multiply_losses(monkeypatch, bad: dict[int, float]) -> None:
    """Multiplies the loss of some passes, counted from 0."""
    original, passes = losses.LossFunction.__call__, iter(range(10**6))

    def call(self, batch):
        return original(self, batch) * bad.get(next(passes), 1.0)

    monkeypatch.setattr(losses.LossFunction, "__call__", call)


def events(folder, name: str) -> list[dict]:
    lines = (folder / "log.jsonl").read_text(encoding="utf-8").splitlines()
    return [entry for entry in map(json.loads, lines) if entry["event"] == name]


def test_a_loss_that_is_not_finite_is_left_out_and_rolled_back(config_file, tmp_path, monkeypatch, capsys):
    multiply_losses(monkeypatch, {2: math.nan})
    assert train(read(config_file())).finished
    assert events(tmp_path / "run", "rollback")
    assert "not finite" in capsys.readouterr().err
    assert all(math.isfinite(entry["loss"]) for entry in events(tmp_path / "run", "train")[2:])


def test_a_spike_of_the_loss_is_rolled_back(config_file, tmp_path, monkeypatch):
    multiply_losses(monkeypatch, {4: 50.0})
    assert train(read(config_file())).finished
    assert len(events(tmp_path / "run", "rollback")) == 1


def test_dropout_is_set_everywhere():
    model = Transformer(preset("tiny"), dropout=0.0)
    set_dropout(model, 0.25)
    shares = [module.p for module in model.modules() if isinstance(module, torch.nn.Dropout)]
    assert shares and set(shares) == {0.25}


def test_the_log_has_the_figures_of_each_interval(config_file, tmp_path):
    train(read(config_file(), ["stages.second.steps=2"]))
    entries = events(tmp_path / "run", "train")
    assert {"loss", "rate", "pairs_per_second", "tokens_per_second", "utilization", "waited", "done"} <= entries[
        0
    ].keys()
    assert [entry["step"] for entry in entries] == sorted(entry["step"] for entry in entries)
