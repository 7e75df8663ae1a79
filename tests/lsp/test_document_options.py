from __future__ import annotations

from pathlib import Path

import pytest

from redraft.check.options import CheckOptions
from redraft.edits.edit import Kind
from redraft.errors import ConfigError
from redraft.lsp.document_options import document_options
from redraft.lsp.settings import OFF, Settings
from redraft.text.dialects import Dialect


@pytest.mark.parametrize(
    ("language_id", "name", "format"),
    [
        ("plaintext", "letter.txt", "plain"),
        ("markdown", "README.md", "markdown"),
        ("latex", "paper.tex", "latex"),
        ("tex", "paper.tex", "latex"),
        ("html", "page.html", "html"),
        ("git-commit", "COMMIT_EDITMSG", "commit"),
        ("gitcommit", "COMMIT_EDITMSG", "commit"),
        ("text", "COMMIT_EDITMSG", "commit"),  # as in Emacs
        ("python", "script", "python"),
        ("typescriptreact", "page.tsx", "javascript"),
        ("plaintext", "paper.tex", "latex"),  # an editor that knows no LaTeX
        ("klingon", "song.klingon", "plain"),
    ],
)
def test_formats_by_language_id(tmp_path: Path, language_id: str, name: str, format: str) -> None:
    assert document_options(Settings(), language_id, tmp_path / name).format == format


def test_a_document_without_a_file() -> None:
    assert document_options(Settings(), "markdown").format == "markdown"
    assert document_options(Settings(), "").format == "plain"


def test_a_format_chosen_or_turned_off(tmp_path: Path) -> None:
    settings = Settings.read({"formats": {"norg": "markdown", "python": "off"}})
    assert document_options(settings, "norg", tmp_path / "notes.norg").format == "markdown"
    assert document_options(settings, "python", tmp_path / "script.py").format == OFF
    assert document_options(settings, "plaintext", tmp_path / "script.py").format == "python"


def test_the_project_sets_what_the_editor_does_not(tmp_path: Path) -> None:
    (tmp_path / "redraft.toml").write_text(
        'threshold = 0.5\nlanguage = "en-GB"\nconsistent = true\nkind = ["spelling", "article"]\n'
        'ignore = ["article", "freind"]\n'
        '[input-format]\n"*.txt" = "markdown"\n',
        encoding="utf-8",
    )
    (tmp_path / "inside").mkdir()
    letter = tmp_path / "inside" / "letter.txt"
    assert document_options(Settings(), "plaintext", letter) == CheckOptions(
        language="en-GB",
        dialect=Dialect.BRITISH,
        consistent=True,
        threshold=0.5,
        kinds=frozenset({Kind.SPELLING}),
        format="markdown",
        dictionary=frozenset({"freind"}),
    )
    chosen = Settings.read(
        {
            "language": "zh",
            "threshold": 0,
            "kinds": ["casing"],
            "formats": {"plaintext": "html"},
            "consistent": False,
        }
    )
    assert document_options(chosen, "plaintext", letter) == CheckOptions(
        language="zh",
        threshold=0.0,
        kinds=frozenset(),
        format="html",
        dictionary=frozenset({"freind"}),
    )


def test_a_project_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "redraft.toml").write_text("no such = thing", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"redraft\.toml"):
        document_options(Settings(), "plaintext", tmp_path / "letter.txt")


@pytest.mark.parametrize(
    ("settings", "shown"),
    [
        ({}, True),
        ({"possibleErrors": False}, False),
        ({"threshold": 0.9}, False),
        ({"threshold": 0.9, "possibleErrors": True}, True),
    ],
)
def test_possible_errors_are_shown_unless_a_threshold_is_set(settings: dict[str, object], shown: bool) -> None:
    assert document_options(Settings.read(settings), "plaintext").possible_errors is shown


@pytest.mark.parametrize(
    ("project", "settings", "shown"),
    [
        ("possible-errors = false", {}, False),
        ("possible-errors = false", {"possibleErrors": True}, True),
        ("possible-errors = true\nthreshold = 0.9", {}, True),
        ("possible-errors = true", {"possibleErrors": False}, False),
    ],
)
def test_a_project_may_show_or_hide_possible_errors(
    tmp_path: Path, project: str, settings: dict[str, object], shown: bool
) -> None:
    (tmp_path / "redraft.toml").write_text(project, encoding="utf-8")
    assert document_options(Settings.read(settings), "plaintext", tmp_path / "a.txt").possible_errors is shown
