from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from redraft.edits.edit import Kind
from redraft.errors import ConfigError, ModelError
from redraft.files.text_file import STDIN
from redraft.model.folder import ModelFolder
from redraft.settings.options import ModelOptions, TextOptions
from redraft.settings.project import Project, parse_ignored


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    settings = 'exclude = ["/old/", "*.bak.md"]\nthreads = 1\n[input-format]\n"*.txt" = "markdown"\n"/raw/" = "plain"\n'
    (tmp_path / "redraft.toml").write_text(settings)
    for name in ("a.md", "b.bak.md", "old/c.md", "sub/old/d.md", "raw/e.txt", "code.py", "notes.rst"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "sub" / "deep").mkdir()
    monkeypatch.chdir(tmp_path / "sub")
    return tmp_path


def test_settings_are_those_of_the_files_not_of_the_working_folder(folder: Path) -> None:
    assert Project.open(TextOptions(), [folder / "a.md"]).configuration.path == folder / "redraft.toml"
    assert Project.open(TextOptions(), [STDIN]).configuration.path == folder / "redraft.toml"
    assert Project.open(TextOptions(isolated=True), [folder]).configuration.path is None


@pytest.mark.parametrize("name", ["./.m", "../.m", "{absolute}", "here"])
def test_a_model_folder_of_the_project_is_used_only_if_the_user_asks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    place = tmp_path / "project"
    for folder in (tmp_path / ".m", place / ".m", place / "texts" / "here"):
        folder.mkdir(parents=True)
    monkeypatch.chdir(place / "texts")
    settings = place / "redraft.toml"
    settings.write_text(f"model = '{name.format(absolute=tmp_path / '.m')}'\n")
    found = Project.open(TextOptions(), [place])
    with pytest.raises(ConfigError, match=r"redraft\.toml names the model folder .*add --model"):
        found.setup(ModelOptions())
    assert found.setup(ModelOptions(model="en")).model.model == "en"
    chosen = Project.open(TextOptions(config=settings), [place]).setup(ModelOptions()).model.model
    assert chosen is not None
    assert Path(chosen).is_dir()


def test_a_project_may_choose_an_installed_model(tmp_path: Path) -> None:
    (tmp_path / "redraft.toml").write_text("model = 'zh'\n")
    assert Project.open(TextOptions(), [tmp_path]).setup(ModelOptions()).model.model == "zh"


@pytest.mark.parametrize(("given", "shown"), [(None, True), (False, False), (True, True)])
def test_possible_errors_are_shown_as_the_project_says_unless_the_command_does(
    tmp_path: Path, given: bool | None, shown: bool
) -> None:
    (tmp_path / "redraft.toml").write_text("possible-errors = true\n")
    project = Project.open(TextOptions(), [tmp_path])
    assert project.session(ModelOptions(model="en"), possible_errors=given).options.possible_errors is shown


def test_patterns_count_from_where_they_are_written(folder: Path) -> None:
    def chosen(options: TextOptions) -> list[str]:
        files = Project.open(options, [folder]).selection().files([folder])
        return [path.relative_to(folder).as_posix() for path in files]

    assert chosen(TextOptions()) == ["a.md", "raw/e.txt", "sub/old/d.md"]
    assert chosen(TextOptions(exclude=["/old/"])) == ["a.md", "raw/e.txt"]
    assert chosen(TextOptions(include=["*.py", "/../a.md"])) == ["code.py"]


def test_formats_come_from_the_option_the_project_and_the_name(folder: Path) -> None:
    project = Project.open(TextOptions(), [folder])
    assert project.format_of(folder / "x.txt") == "markdown"
    assert project.format_of(folder / "raw" / "e.txt") == "plain"
    assert project.format_of(folder / "paper.tex") == "latex"
    assert project.format_of(STDIN) == "plain"
    assert Project.open(TextOptions(stdin_filename=Path("x.txt")), [STDIN]).format_of(STDIN) == "markdown"
    assert Project.open(TextOptions(input_format="html"), [folder]).format_of(folder / "x.txt") == "html"


def test_stdin_goes_by_its_name(folder: Path) -> None:
    assert Project.open(TextOptions(), [STDIN]).name_of(STDIN) == "<stdin>"
    named = Project.open(TextOptions(stdin_filename=Path("deep/x.md")), [STDIN])
    assert (named.name_of(STDIN), named.folder) == ("deep/x.md", folder / "sub" / "deep")


@pytest.mark.parametrize(
    ("language", "dialect"), [(None, None), ("auto", None), ("en", None), ("en-GB", "en-GB"), ("EN_us", "en-US")]
)
def test_a_language_of_the_model_is_taken(
    tiny_model: ModelFolder, tmp_path: Path, language: str | None, dialect: str | None
) -> None:
    project = Project.open(TextOptions(language=language), [tmp_path])
    corrector = project.session(ModelOptions(model=str(tiny_model.path))).corrector
    assert (corrector.info.language, corrector.dialect) == ("en", dialect)


def test_another_language_is_refused(tiny_model: ModelFolder, tmp_path: Path) -> None:
    project = Project.open(TextOptions(language="fr"), [tmp_path])
    with pytest.raises(ConfigError, match="there is no model for 'fr', only for 'en'"):
        project.session(ModelOptions(model=str(tiny_model.path)))
    with pytest.raises(ModelError, match="there is no model for 'fr'"):
        project.session(ModelOptions())


def test_what_to_ignore_is_a_kind_a_rule_or_a_word() -> None:
    ignoring = parse_ignored(["article", "REDRAFT_SPELLING_RULE", "Article", "redraft"])
    assert ignoring.kinds == {Kind.ARTICLE, Kind.SPELLING}
    assert ignoring.words == {"Article", "redraft"}


def test_unreadable_user_rules_are_reported_before_the_model_is_loaded(tmp_path: Path, home: Path) -> None:
    (home / "ignores.txt").write_text("kind articel\n")
    with pytest.raises(Exception, match=r"ignores.txt:1: "):
        Project.open(TextOptions(), [tmp_path]).session(ModelOptions(model="nowhere"))


def test_any_model_of_a_language_is_found(
    tiny_model: ModelFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("redraft.model.catalogue.CHECKOUT", tmp_path)
    monkeypatch.setattr("redraft.model.catalogue.GROUP", "redraft.tests.no.models")
    shutil.copytree(tiny_model.path, tmp_path / "en-open")
    corrector = Project.open(TextOptions(language="en-GB"), [tmp_path]).session(ModelOptions()).corrector
    assert corrector.info.name == "tiny"
