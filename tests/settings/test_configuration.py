from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from redraft.errors import ConfigError
from redraft.settings.configuration import Configuration, find, read
from redraft.settings.options import ModelOptions, TextOptions


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_settings_have_the_names_of_options(tmp_path: Path) -> None:
    text = """
    model = "en"
    threshold = 1
    threads = 2
    dictionary = ["words.txt"]
    language = "en-GB"
    kind = ["spelling"]
    ignore = ["article", "colour"]
    include = ["*.md"]
    exclude = ["vendor/"]

    [input-format]
    "*.txt" = "markdown"
    """
    found = read(write(tmp_path / "redraft.toml", text))
    model, texts = found.fill(ModelOptions()), found.fill(TextOptions())
    assert (model.model, model.threshold, model.threads) == ("en", 1.0, 2)
    assert model.dictionary == [tmp_path / "words.txt"]
    assert (texts.language, texts.kind, texts.include) == ("en-GB", ["spelling"], ["*.md"])
    assert found.input_formats == {"*.txt": "markdown"}


def test_the_command_line_goes_before_the_project(tmp_path: Path) -> None:
    found = read(write(tmp_path / "redraft.toml", 'threads = 2\nkind = ["spelling"]\nignore = ["article"]\n'))
    assert found.fill(ModelOptions(threads=0)).threads == 0
    texts = found.fill(TextOptions(kind=["casing"], ignore=["colour"]))
    assert texts.kind == ["casing"]
    assert texts.ignore == ["article", "colour"]


def test_a_model_may_lie_beside_the_settings(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    path = write(tmp_path / "redraft.toml", 'model = "mine"')
    assert read(path).fill(ModelOptions()).model == str(tmp_path / "mine")


def test_an_installed_model_goes_before_a_folder_of_its_name(tmp_path: Path) -> None:
    """A folder `en` may hold English texts."""
    (tmp_path / "en").mkdir()
    found = read(write(tmp_path / "redraft.toml", 'model = "en"'))
    found.check_model(None)
    assert found.fill(ModelOptions()).model == "en"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("treshold = 1", "redraft.toml:1: treshold is not a known setting; did you mean 'threshold'?"),
        ("\n# ignor\nignor = []", "redraft.toml:3: ignor is not a known setting; did you mean 'ignore'?"),
        ("isolated = true", "redraft.toml:1: isolated is not a known setting"),
        ("threads = 1.5", "redraft.toml:1: threads must be a whole number"),
        ("threads = true", "redraft.toml:1: threads must be a whole number"),
        ("threads = -1", "redraft.toml:1: threads must be at least 0, not -1"),
        ("threshold = 2", "redraft.toml:1: threshold must be at least 0 and at most 1, not 2"),
        ("consistent = 1", "redraft.toml:1: consistent must be true or false"),
        ("model = 3", "redraft.toml:1: model must be a text in quotes"),
        ('ignore = "article"', "redraft.toml:1: ignore must be a list, not 'article'"),
        ("ignore = [1]", "redraft.toml:1: ignore.0 must be a text in quotes, not 1"),
        ("dictionary = {}", "redraft.toml:1: dictionary must be a list, not {}"),
        ('input-format = "markdown"', "redraft.toml:1: input-format must be a table, not 'markdown'"),
        ('[input-format]\n"*.txt" = "markdwn"', "redraft.toml:2: input-format.*.txt must be one of plain, "),
        ('[markup]\n"*.txt" = "markdown"', "redraft.toml:1: markup is now input-format"),
        ("threads = 0\nmin-confidence = 0.5", "redraft.toml:2: min-confidence is now threshold"),
        ("threads = ", "redraft.toml is not valid TOML: Invalid value (at end of document)"),
    ],
)
def test_a_mistake_is_told_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigError) as error:
        read(write(tmp_path / "redraft.toml", text))
    assert str(error.value).startswith(str(tmp_path / message))
    assert "\n" not in str(error.value)


def test_the_nearest_settings_are_found(tmp_path: Path) -> None:
    deep = tmp_path / "project" / "docs" / "deep"
    deep.mkdir(parents=True)
    top = write(tmp_path / "redraft.toml", "threads = 1")
    assert find(deep).path == top
    pyproject = write(tmp_path / "project" / "pyproject.toml", "[tool.redraft]\nthreads = 2")
    assert find(deep).path == pyproject
    assert find(deep).settings == {"threads": 2}
    own = write(tmp_path / "project" / "redraft.toml", "threads = 3")
    assert find(deep).path == own


def test_a_pyproject_of_others_is_passed_over(tmp_path: Path) -> None:
    top = write(tmp_path / "redraft.toml", "threads = 1")
    write(tmp_path / "docs" / "pyproject.toml", "[tool.ruff]\nline-length = 100")
    assert find(tmp_path / "docs").path == top


def test_a_repository_ends_the_search(tmp_path: Path) -> None:
    write(tmp_path / "redraft.toml", "threads = 1")
    (tmp_path / "project" / ".git").mkdir(parents=True)
    assert find(tmp_path / "project") == Configuration()


def test_a_wrong_table_of_pyproject_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="must be a table"):
        read(write(tmp_path / "pyproject.toml", "[tool]\nredraft = 1"))


def test_the_page_shows_settings_that_hold_and_names_all(tmp_path: Path) -> None:
    page = (Path(__file__).parent.parent.parent / "docs" / "checking.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"^```toml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert read(write(tmp_path / "redraft.toml", example)).settings["threshold"] == 0.8
    section = page[page.index("## Settings of a project") :]
    names = {field.name for group in (ModelOptions, TextOptions) for field in fields(group)}
    settings = names - {"stdin_filename", "config", "isolated"}
    assert [name for name in settings if f"`{name.replace('_', '-')}`" not in section] == []
