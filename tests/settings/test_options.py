from __future__ import annotations

import inspect
from dataclasses import fields
from pathlib import Path
from typing import get_type_hints

import pytest

from redraft.check.loading import load
from redraft.model.folder import ModelFolder
from redraft.settings.options import (
    DraftModelOptions,
    ModelOptions,
    OneModelOptions,
    TextOptions,
    with_model_options,
    with_options,
)
from redraft.settings.project import Project


def command(options: ModelOptions, text: str, loud: bool = False) -> None:
    print(options.engine, text, loud)  # noqa: T201


def test_a_command_gets_an_option_for_each_field() -> None:
    parameters = inspect.signature(with_model_options()(command)).parameters
    assert list(parameters) == ["text", "loud", *(field.name for field in fields(ModelOptions))]
    assert parameters["text"].annotation is str
    assert parameters["engine"].default is None


def test_an_option_may_be_left_out() -> None:
    parameters = inspect.signature(with_model_options("engine", "threads")(command)).parameters
    assert {field.name for field in fields(ModelOptions)} - set(parameters) == {"engine", "threads"}


def test_a_command_is_called_with_the_options_filled_in(capsys: pytest.CaptureFixture[str]) -> None:
    names = [field.name for field in fields(ModelOptions)]
    with_model_options()(command)(text="hello", loud=True, **(dict.fromkeys(names) | {"engine": "onnx"}))
    assert capsys.readouterr().out == "onnx hello True\n"


def test_every_setting_of_the_library_has_an_option() -> None:
    settings = set(inspect.signature(load).parameters)
    of_a_text = {"dialect", "consistent"}
    assert settings - of_a_text == {field.name for field in fields(DraftModelOptions)} - {"dictionary"}


def test_what_is_left_out_is_the_library_s_to_choose(tiny_model: ModelFolder) -> None:
    chosen, usual = ModelOptions(model=str(tiny_model.path)).open(), load(tiny_model.path)
    assert chosen.solver.options == usual.solver.options
    assert (chosen.threshold, chosen.dialect) == (usual.threshold, usual.dialect)


def test_the_help_says_which_model_is_taken_if_none_is_named() -> None:
    def helped(group: type) -> str:
        return get_type_hints(group, include_extras=True)["model"].__metadata__[0].help

    assert inspect.signature(load).parameters["model"].default == "auto"
    assert "Default: auto" in helped(ModelOptions)
    assert "Default: en." in helped(OneModelOptions)
    assert [field.name for field in fields(OneModelOptions)] == [field.name for field in fields(DraftModelOptions)]


def test_dictionaries_add_up(tiny_model: ModelFolder, tmp_path: Path) -> None:
    first, second = tmp_path / "first.txt", tmp_path / "second.txt"
    first.write_text("one\n", encoding="utf-8")
    second.write_text("two\n", encoding="utf-8")
    project = Project.open(TextOptions(ignore=["three"], isolated=True))
    setup = project.setup(ModelOptions(model=str(tiny_model.path), dictionary=[first, second]))
    assert setup.options.dictionary == {"one", "two", "three"}


def test_a_command_may_have_several_groups() -> None:
    def both(model: ModelOptions, text: TextOptions, files: list[str]) -> None:
        seen.append((model, text, files))

    seen: list[object] = []
    decorated = with_options(ModelOptions, TextOptions, left_out=("engine", "isolated"))(both)
    parameters = inspect.signature(decorated).parameters
    expected = {field.name for group in (ModelOptions, TextOptions) for field in fields(group)} - {"engine", "isolated"}
    assert set(parameters) == expected | {"files"}
    values = {name: parameter.default for name, parameter in parameters.items()} | {"files": ["a"], "kind": ["casing"]}
    decorated(**values)
    assert seen == [(ModelOptions(), TextOptions(kind=["casing"]), ["a"])]
