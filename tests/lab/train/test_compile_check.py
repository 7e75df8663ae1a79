from __future__ import annotations

import pytest
import torch

from redraft.lab.train.compile_check import check_compilation
from redraft.lab.train.config import StageConfig
from redraft.lab.train.loss import LossFunction
from redraft.lab.train.packing import Layout
from redraft.model.config import preset
from redraft.model.transformer import Transformer

STAGE = StageConfig("x", {"a": 1.0}, steps=1)


def check_tiny(loss_function: LossFunction) -> str:
    return check_compilation(loss_function, Layout(64, 16), STAGE, torch.device("cpu"))


def test_uncompiled_code_is_not_checked():
    assert check_tiny(LossFunction(Transformer(preset("tiny")), 0.1, "none")) == "not compiled"


def test_compilation_is_disabled_if_the_compiler_fails(monkeypatch):
    loss_function = LossFunction(Transformer(preset("tiny")), 0.1, "layers")

    def fail(*arguments):
        raise RuntimeError("no compiler here\nand more")

    loss_function._mean_loss = fail
    with pytest.warns(UserWarning, match="uncompiled"):
        assert "no compiler here" in check_tiny(loss_function)
    assert loss_function.compiled == "none"
    assert all(layer._compiled_call_impl is None for layer in loss_function.model.encoder.layers)


def test_compiled_code_that_computes_something_else_is_not_used():
    loss_function = LossFunction(Transformer(preset("tiny")), 0.1, "none")
    original = loss_function._mean_loss
    loss_function.compiled = "layers"
    loss_function._mean_loss = lambda *arguments: 2 * original(*arguments)
    with pytest.warns(UserWarning, match="plain code"):
        check_tiny(loss_function)
    assert loss_function.compiled == "none"
