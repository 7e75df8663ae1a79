from __future__ import annotations

import json
import os
import re
from dataclasses import fields, replace
from pathlib import Path

import pytest

from redraft.errors import ConfigError, InputError, RedraftError
from redraft.files.text_file import LARGEST_DICTIONARY
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
    write(tmp_path / "words.txt", "fjord\n")
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
        ("threads = -1", "redraft.toml:1: threads must be at least 0 and at most 1024, not -1"),
        ("threshold = 2", "redraft.toml:1: threshold must be at least 0 and at most 1, not 2"),
        ("consistent = 1", "redraft.toml:1: consistent must be true or false"),
        ("possible-errors = 'yes'", "redraft.toml:1: possible-errors must be true or false"),
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


HOSTILE = {
    "a number of 5,000 digits": "threads = " + "9" * 5000,
    "a number of 5,000 hexadecimal digits": "threads = 0x" + "F" * 5000,
    "a number beyond floats": "threshold = 0x" + "F" * 5000,
    "more threads than there are numbers for": "threads = 99999999999999999999",
    "nested lists": "ignore = " + "[" * 100_000,
    "nested tables": "threads = " + "{a=" * 50_000,
    "a key of 50,000 parts": "a." * 50_000 + "a = 1",
    "a quoted key of 50,000 parts": "'a'." * 50_000 + "a = 1",
    "a table of 50,000 parts": f"[{'a.' * 50_000}a]",
    "a key of 200,000 characters": "k" * 200_000 + " = 1",
    "a key of control characters": '"\\u001b[2J\\n" = 1',
    "a value of control characters": 'language = ["\\u001b[2J"]',
    "a file of a megabyte": "#" * 1_000_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_gives_one_short_line(tmp_path: Path, name: str) -> None:
    with pytest.raises(RedraftError) as error:
        read(write(tmp_path / "redraft.toml", HOSTILE[name]))
    assert str(error.value).isprintable()
    assert len(str(error.value)) < 1000 + len(str(tmp_path))


def test_a_model_of_an_impossible_name_is_no_folder(tmp_path: Path) -> None:
    for name in ("a" * 100_000, "a\\u0000"):
        found = read(write(tmp_path / "redraft.toml", f'model = "{name}"'))
        found.check_model(None)


def use_dictionary(folder: Path, *names: str) -> ModelOptions:
    write(folder / "redraft.toml", f"dictionary = {list(names)}")
    return find(folder).fill(ModelOptions())


def test_a_dictionary_of_the_project_is_a_regular_file_inside_it(tmp_path: Path) -> None:
    outside = write(tmp_path / "outside.txt", "secret\n")
    project = tmp_path / "project"
    write(project / "docs" / "words.txt", "fjord\n")
    (project / "link.txt").symlink_to(outside)
    (project / "inner.txt").symlink_to(project / "docs" / "words.txt")
    os.mkfifo(project / "pipe")
    refused = {
        "/dev/zero": "outside of the project",
        "../outside.txt": "outside of the project",
        str(outside): "outside of the project",
        "link.txt": "outside of the project",
        "docs": "is not a regular file",
        "pipe": "is not a regular file",
        "missing.txt": "does not exist",
        "a\0b": "cannot be read",
    }
    for name, reason in refused.items():
        write(project / "redraft.toml", f"dictionary = [{json.dumps(name)}]")
        with pytest.raises(ConfigError, match=rf"redraft\.toml names .*{reason}"):
            find(project).fill(ModelOptions())
    assert use_dictionary(project, "docs/words.txt", "inner.txt").words == {"fjord"}


def test_a_dictionary_may_lie_anywhere_in_the_repository(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    write(tmp_path / "words.txt", "fjord\n")
    assert use_dictionary(tmp_path / "docs", "../words.txt").words == {"fjord"}


def test_a_file_that_the_user_names_may_name_others_outside_of_its_folder(tmp_path: Path) -> None:
    write(tmp_path / "words.txt", "fjord\n")
    settings = write(tmp_path / "project" / "redraft.toml", 'dictionary = ["../words.txt"]')
    assert replace(read(settings), named_by_user=True).fill(ModelOptions()).words == {"fjord"}
    write(settings, 'dictionary = ["/dev/zero"]')
    with pytest.raises(ConfigError, match="is not a regular file"):
        replace(read(settings), named_by_user=True).fill(ModelOptions())


def test_dictionaries_are_limited_in_size(tmp_path: Path) -> None:
    for name, size in {"large.txt": LARGEST_DICTIONARY + 1, "a.txt": LARGEST_DICTIONARY, "b.txt": 1}.items():
        write(tmp_path / name, "")
        os.truncate(tmp_path / name, size)
    with pytest.raises(ConfigError, match="at most 8,388,608 are read"):
        use_dictionary(tmp_path, "large.txt")
    with pytest.raises(ConfigError, match="dictionaries of 8,388,609 bytes"):
        use_dictionary(tmp_path, "a.txt", "b.txt")
    with pytest.raises(InputError, match="more than 8,388,608 bytes"):
        _ = ModelOptions(dictionary=[Path("/dev/zero")]).words


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
