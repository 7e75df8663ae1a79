from __future__ import annotations

from pathlib import Path

import pytest

from redraft.edits.edit import Kind
from redraft.errors import ConfigError
from redraft.lsp.rules import Rules
from redraft.lsp.settings import OFF, Settings


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
    assert Rules.of(Settings(), language_id, tmp_path / name).format == format


def test_a_document_without_a_file() -> None:
    assert Rules.of(Settings(), "markdown").format == "markdown"
    assert Rules.of(Settings(), "").format == "plain"


def test_a_format_chosen_or_turned_off(tmp_path: Path) -> None:
    settings = Settings.read({"formats": {"norg": "markdown", "python": "off"}})
    assert Rules.of(settings, "norg", tmp_path / "notes.norg").format == "markdown"
    assert Rules.of(settings, "python", tmp_path / "script.py").format == OFF
    assert Rules.of(settings, "plaintext", tmp_path / "script.py").format == "python"


def test_the_project_speaks_where_the_editor_does_not(tmp_path: Path) -> None:
    (tmp_path / "redraft.toml").write_text(
        'threshold = 0.5\nkind = ["spelling", "article"]\nignore = ["article", "freind"]\n'
        'draft = "suffix"\n[markup]\n"*.txt" = "markdown"\n',
        encoding="utf-8",
    )
    (tmp_path / "inside").mkdir()
    letter = tmp_path / "inside" / "letter.txt"
    assert Rules.of(Settings(), "plaintext", letter) == Rules(
        "markdown", None, "suffix", 0.5, frozenset({Kind.SPELLING}), frozenset({"freind"})
    )
    chosen = Settings.read({"threshold": 0, "draft": "refine", "kinds": ["casing"], "formats": {"plaintext": "html"}})
    assert Rules.of(chosen, "plaintext", letter) == Rules(
        "html", None, "refine", 0.0, frozenset(), frozenset({"freind"})
    )


def test_a_project_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "redraft.toml").write_text("no such = thing", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"redraft\.toml"):
        Rules.of(Settings(), "plaintext", tmp_path / "letter.txt")
