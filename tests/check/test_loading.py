"""Models by folder, with every engine and setting."""

from __future__ import annotations

import shutil
from dataclasses import replace

import pytest
from tiny import PAIRS

import redraft
from redraft.check.solver import SolverOptions
from redraft.decode.loop import DecodeOptions
from redraft.errors import ConfigError
from redraft.model.folder import seal, write_config


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


@pytest.fixture
def shelf(tiny_model, tmp_path, monkeypatch):
    """An installation whose only English model is called en-open."""
    monkeypatch.setattr("redraft.model.catalogue.CHECKOUT", tmp_path)
    monkeypatch.setattr("redraft.model.catalogue.GROUP", "redraft.tests.no.models")
    shutil.copytree(tiny_model.path, tmp_path / "en-open")
    return tmp_path


def test_a_second_model_of_a_language_is_opened_by_its_name(shelf, tiny_model):
    corrector = redraft.load("en-open", threads=1)
    assert corrector.info.licence == "MIT"
    assert corrector.correct(PAIRS[0][0]).text == PAIRS[0][1]


def test_without_another_it_is_the_model_of_its_language(shelf):
    corrector = redraft.load(threads=1)
    assert corrector.languages == ("en",)
    assert corrector.correct(PAIRS[0][0]).text == PAIRS[0][1]


def test_with_another_it_is_not_a_language_of_its_own(shelf, tiny_model):
    changed = shutil.copytree(tiny_model.path, shelf / "en")
    write_config(changed, replace(tiny_model.info, summary="the first"), tiny_model.config)
    seal(changed)
    corrector = redraft.load(threads=1)
    assert corrector.languages == ("en",)
    assert corrector.info.summary == "the first"
