from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]


@pytest.fixture(autouse=True)
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """In a project, with markup inside the sentence and the same sentence twice, once without its markup."""
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "page.md"
    path.write_text("He have *two* cat.\n\nThey was late for the the train.\n", encoding="utf-8")
    return Path(path.name)


def kinds(redraft: Run, page: Path) -> list[str]:
    return [line.split(": ")[1] for line in redraft("check", page).text.splitlines()]


def test_a_kind_is_ignored_by_name_or_rule(run: Run, redraft: Run, page: Path) -> None:
    assert "agreement" in kinds(redraft, page)
    assert run("ignore", "kind", "noun-number", "REDRAFT_AGREEMENT").code == 0
    assert not {"agreement", "noun-number"} & set(kinds(redraft, page))
    assert run("ignore", "list").text == "kind noun-number\nkind agreement\n"


def test_a_word_is_ignored(run: Run, redraft: Run, page: Path) -> None:
    run("ignore", "word", "--project", "have")
    assert "have" not in redraft("check", page).text
    assert Path(".redraft/ignores.txt").read_text().endswith("word have\n")
    assert run("ignore", "list", "--user").text == ""


def test_one_finding_is_ignored_in_its_sentence(run: Run, redraft: Run, page: Path) -> None:
    before = redraft("check", page).text.splitlines()
    assert before[0].startswith("page.md:1:4: ")
    outcome = redraft("ignore", "once", "--project", "page.md:1:4:")
    assert outcome.code == 0
    assert outcome.err == "redraft: page.md:1:4: “have” → “has” will not be shown again\n"
    assert redraft("check", page).text.splitlines() == before[1:]
    moved = page.read_text().replace("He have", "I agree with you. He have")
    page.write_text(moved, encoding="utf-8")
    assert "“have”" not in redraft("check", page).text
    (entry,) = run("ignore", "list").text.splitlines()
    assert run("ignore", "remove", "--project", entry).code == 0
    assert "“have”" in redraft("check", page).text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("kind", "articel"), "kind 'articel' is not known; did you mean 'article'?"),
        (("kind", "REDRAFT_ARTICEL"), "rule 'REDRAFT_ARTICEL' is not known; did you mean 'REDRAFT_ARTICLE'?"),
        (("remove", "word never"), "not ignored: word never"),
    ],
)
def test_a_mistake_is_one_line(run: Run, arguments: tuple[str], message: str) -> None:
    outcome = run("ignore", *arguments)
    assert (outcome.code, outcome.err) == (2, f"redraft: {message}\n")


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("page.md", "'page.md' is not a position; write FILE:LINE:COLUMN"),
        ("page.md:1:1", "there is no finding at page.md:1:1"),
        ("gone.md:1:1", "there is no file gone.md"),
    ],
)
def test_a_place_without_a_finding_is_told(redraft: Run, place: str, message: str) -> None:
    outcome = redraft("ignore", "once", place)
    assert outcome.code == 2
    assert outcome.err.startswith(f"redraft: {message}")
