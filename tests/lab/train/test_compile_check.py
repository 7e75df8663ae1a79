from __future__ import annotations

import pytest
import torch

from redraft.lab.train.batches import Layout
from redraft.lab.train.compile_check import rehearse
from redraft.lab.train.config import StageConfig
from redraft.lab.train.objective import Objective
from redraft.model.config import preset
from redraft.model.transformer import Transformer

STAGE = StageConfig("x", {"a": 1.0}, steps=1)


def rehearse_tiny(objective: Objective) -> str:
    return rehearse(objective, Layout(64, 16), STAGE, torch.device("cpu"))


def test_plain_code_needs_no_rehearsal():
    assert rehearse_tiny(Objective(Transformer(preset("tiny")), 0.1, "none")) == "not compiled"


def test_a_compiler_that_fails_is_done_without(monkeypatch):
    objective = Objective(Transformer(preset("tiny")), 0.1, "layers")

    def fail(*arguments):
        raise RuntimeError("no compiler here\nand more")

    objective._mean_loss = fail
    with pytest.warns(UserWarning, match="uncompiled"):
        assert "no compiler here" in rehearse_tiny(objective)
    assert objective.compiled == "none"
    assert all(layer._compiled_call_impl is None for layer in objective.model.encoder.layers)


def test_compiled_code_that_computes_something_else_is_not_used():
    objective = Objective(Transformer(preset("tiny")), 0.1, "none")
    original = objective._mean_loss
    objective.compiled = "layers"
    objective._mean_loss = lambda *arguments: 2 * original(*arguments)
    with pytest.warns(UserWarning, match="plain code"):
        rehearse_tiny(objective)
    assert objective.compiled == "none"
