from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from redraft.model.folder import ModelFolder, write_config

Run = Callable[..., Any]


@pytest.fixture
def shelf(tiny_model: ModelFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(tiny_model.path, tmp_path / "xx")
    monkeypatch.setattr("redraft.model.catalogue.CHECKOUT", tmp_path)
    monkeypatch.setattr("redraft.model.catalogue.GROUP", "redraft.tests.no.models")
    return tmp_path / "xx"


def test_models_are_listed(run: Run, shelf: Path) -> None:
    outcome = run("models")
    assert outcome.code == 0
    assert outcome.text.startswith("xx  Mends eight sentences")
    assert str(shelf) in outcome.text


def test_the_licence_comes_first(run: Run, shelf: Path) -> None:
    lines = run("models").text.splitlines()
    assert lines[0].startswith("xx  ") and lines[1] == "    licence   MIT"
    (entry,) = run("models", "--json").objects
    assert list(entry)[:2] == ["name", "licence"]


def test_a_missing_licence_is_said(run: Run, shelf: Path, tiny_model: ModelFolder) -> None:
    write_config(shelf, replace(tiny_model.info, licence=""), tiny_model.config)
    assert run("models").text.splitlines()[1] == "    licence   not stated"


def test_json_has_the_figures(run: Run, shelf: Path, tiny_model: ModelFolder) -> None:
    (entry,) = run("models", "--json").objects
    assert entry["name"] == "xx"
    assert entry["language"] == "en"
    assert entry["parameters"] == tiny_model.parameters
    assert entry["bytes"] == sum(file.stat().st_size for file in shelf.iterdir())
    assert entry["path"] == str(shelf)


def test_without_a_model_there_is_a_remark(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("redraft.model.catalogue.CHECKOUT", tmp_path)
    monkeypatch.setattr("redraft.model.catalogue.GROUP", "redraft.tests.no.models")
    outcome = run("models")
    assert (outcome.code, outcome.out) == (0, b"")
    assert "this installation has no model" in outcome.err


def test_the_engine_is_shown_and_why_it_is_not_native(run: Run, shelf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("redraft.engines.native.library._load", lambda: None)
    monkeypatch.setattr("redraft.engines.native.library.LIBRARY", shelf / "absent.so")
    outcome = run("models")
    assert "    engine    onnx\n" in outcome.text
    assert "it was not compiled when Redraft was installed" in outcome.err
    (entry,) = run("models", "--json").objects
    assert entry["engine"] == "onnx"


def test_a_model_is_used_by_its_name(run: Run, shelf: Path) -> None:
    shelf.rename(shelf.with_name("en-open"))
    outcome = run("fix", "--model", "en-open", "She go to school every days.")
    assert (outcome.code, outcome.text) == (0, "She goes to school every day.\n")
