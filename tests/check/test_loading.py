"""Models by folder, with every engine and setting."""

from __future__ import annotations

import pytest
from tiny import PAIRS

import redraft
from redraft.check.solver import SolverOptions
from redraft.decode.loop import DecodeOptions
from redraft.errors import ConfigError


@pytest.mark.parametrize("engine", ["onnx", "torch"])
@pytest.mark.parametrize("draft", ["none", "suffix", "realign", "refine"])
def test_engines_and_drafts_give_the_same_corrections(tiny_model, engine, draft):
    corrector = redraft.load(tiny_model.path, engine=engine, draft=draft, threads=1)
    text = " ".join(source for source, _ in PAIRS)
    expected = redraft.load(tiny_model.path, draft="none", threads=1).correct(text)
    assert corrector.correct(text).text == expected.text
    assert corrector.correct(text).trace.calls <= expected.trace.calls


def test_bad_settings_are_refused(tiny_model):
    for settings in (
        {"engine": "abacus"},
        {"precision": "int4"},
        {"engine": "torch", "precision": "int8"},
        {"draft": "psychic"},
        {"threshold": 2.0},
        {"max_draft": -1},
        {"threads": -1},
    ):
        with pytest.raises(ConfigError):
            redraft.load(tiny_model.path, **settings)  # type: ignore[arg-type]
    with pytest.raises(ConfigError):
        SolverOptions(decode=DecodeOptions(), batch_tokens=0)


def test_an_unknown_dialect_is_refused(tiny_model):
    with pytest.raises(ConfigError, match="choose en-US or en-GB"):
        redraft.load(tiny_model.path, dialect="en-MARS")
