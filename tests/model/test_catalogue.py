from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from redraft.errors import ModelError
from redraft.model import catalogue


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder on the import path, and no model in the checkout nor from other distributions."""
    monkeypatch.setattr(catalogue, "CHECKOUT", tmp_path / "checkout")
    monkeypatch.setattr(catalogue, "GROUP", "redraft.tests.models")
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    return folder


def add_distribution(site: Path, package: str, *entries: str) -> None:
    info = site / f"{package}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    lines = "\n".join(f"{name} = {package}" for name in entries)
    (info / "entry_points.txt").write_text(f"[redraft.tests.models]\n{lines}\n")
    importlib.invalidate_caches()


def add_model(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "manifest.json").write_text("{}")
    return folder


def test_a_model_is_found_by_its_entry_point_and_not_imported(site: Path) -> None:
    folder = add_model(site / "model_for_tests_xx")
    (folder / "__init__.py").write_text("raise AssertionError('imported')")
    add_distribution(site, "model_for_tests_xx", "xx")
    assert catalogue.installed() == {"xx": folder}
    assert catalogue.locate("xx") == folder


def test_an_entry_point_without_a_model_is_passed_over(site: Path) -> None:
    (site / "model_for_tests_empty").mkdir()
    add_distribution(site, "model_for_tests_empty", "aa")
    add_distribution(site, "model_for_tests_gone", "bb")
    assert catalogue.installed() == {}


def test_a_model_of_the_checkout_goes_before_an_installed_one(site: Path) -> None:
    add_model(site / "model_for_tests_yy")
    add_distribution(site, "model_for_tests_yy", "yy")
    own = add_model(catalogue.CHECKOUT / "yy")
    assert catalogue.installed() == {"yy": own}


def test_a_folder_is_found_by_its_path(site: Path) -> None:
    assert catalogue.locate(str(site)) == site


def test_an_unknown_name_lists_the_known_ones(site: Path) -> None:
    add_model(catalogue.CHECKOUT / "yy")
    with pytest.raises(ModelError, match="no model 'zz': give the path of a model folder or one of yy"):
        catalogue.locate("zz")


def test_without_any_model_the_package_to_install_is_named(site: Path) -> None:
    with pytest.raises(ModelError, match="no model is installed: install redraft-model-en"):
        catalogue.locate("en")


@pytest.mark.parametrize(
    ("names", "chosen"),
    [
        (["zh", "en-open", "en"], {"en": "en", "zh": "zh"}),
        (["en-open", "en-small"], {"en": "en-open"}),
        (["uk"], {"uk": "uk"}),
        ([], {}),
    ],
)
def test_one_model_is_used_for_each_language(names: list[str], chosen: dict[str, str]) -> None:
    assert catalogue.by_language(names) == chosen
