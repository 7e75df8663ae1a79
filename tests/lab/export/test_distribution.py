from __future__ import annotations

import shutil
import tomllib
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

import redraft
from redraft.errors import InputError
from redraft.lab.export.distribution import write_distribution
from redraft.model import catalogue
from redraft.model.folder import ModelFolder, ModelInfo, seal, write_config

INFO = ModelInfo("en-open", "en", 'English, "tiny"', "CC BY-SA 4.0")


@pytest.fixture
def folder(tiny_model: ModelFolder, tmp_path: Path) -> ModelFolder:
    return rename(tiny_model, tmp_path / "model", INFO)


def rename(model: ModelFolder, path: Path, info: ModelInfo) -> ModelFolder:
    shutil.copytree(model.path, path)
    write_config(path, info, model.config)
    return seal(path)


def test_a_model_is_built_installed_and_found_by_its_name(
    folder: ModelFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert write_distribution(folder, "1.2.3") == "redraft-model-en-open"
    (wheel,) = WheelBuilder(str(folder.path)).build(directory=str(tmp_path / "dist"))
    assert Path(wheel).name == "redraft_model_en_open-1.2.3-py3-none-any.whl"
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    monkeypatch.setattr(catalogue, "CHECKOUT", tmp_path / "no checkout")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    assert catalogue.locate("en-open") == tmp_path / "site" / "redraft_model_en_open"
    corrector = redraft.load("en-open", threads=1)
    assert corrector.info == INFO
    assert corrector.correct("She go to school every days.").text == "She goes to school every day."


def test_the_licence_is_stated(folder: ModelFolder) -> None:
    write_distribution(folder, "0.1.0")
    project = tomllib.loads((folder.path / "pyproject.toml").read_text())["project"]
    assert project["license"] == "CC-BY-SA-4.0"
    assert '"tiny"' in project["description"]
    text = (folder.path / "LICENSE").read_text()
    assert "CC BY-SA 4.0" in text and "by-sa/4.0/legalcode" in text and "card.md" in text


def test_other_terms_get_a_reference(tiny_model: ModelFolder, tmp_path: Path) -> None:
    folder = rename(tiny_model, tmp_path / "model", replace(INFO, licence="research only"))
    write_distribution(folder, "0.1.0")
    assert 'license = "LicenseRef-Redraft-Model-En-Open"' in (folder.path / "pyproject.toml").read_text()
    assert "    research only\n" in (folder.path / "LICENSE").read_text()


@pytest.mark.parametrize("name", ["tiny", "EN", "en open", "zh-open", "en-", '"'])
def test_a_name_that_does_not_begin_with_the_language_is_refused(
    tiny_model: ModelFolder, tmp_path: Path, name: str
) -> None:
    folder = rename(tiny_model, tmp_path / "model", replace(INFO, name=name))
    with pytest.raises(InputError, match="must be called en or en-something"):
        write_distribution(folder, "0.1.0")
    assert not (folder.path / "pyproject.toml").exists()


def test_a_model_without_a_licence_is_refused(tiny_model: ModelFolder, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the model has no licence"):
        write_distribution(rename(tiny_model, tmp_path / "model", replace(INFO, licence="")), "0.1.0")


def test_existing_files_are_kept(folder: ModelFolder) -> None:
    (folder.path / "LICENSE").write_text("mine")
    with pytest.raises(InputError, match="LICENSE exists already"):
        write_distribution(folder, "0.1.0")
    assert not (folder.path / "pyproject.toml").exists()
