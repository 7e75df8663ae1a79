from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / "docs").mkdir()
    monkeypatch.chdir(tmp_path / "docs")
    return tmp_path


def test_words_come_and_go(run: Run) -> None:
    assert run("words", "list").text == ""
    assert run("words", "add", "Redraft", "fjord").code == 0
    assert run("words", "list").text == "fjord\nRedraft\n"
    assert run("words", "remove", "fjord").code == 0
    assert run("words", "list").text == "Redraft\n"


def test_a_project_has_words_of_its_own(run: Run, project: Path) -> None:
    run("words", "add", "mine")
    run("words", "add", "--project", "ours")
    assert (project / ".redraft" / "words.txt").read_text().endswith("ours\n")
    assert run("words", "list").text == "mine\nours\n"
    assert run("words", "list", "--project").text == "ours\n"
    assert run("words", "list", "--user").text == "mine\n"


def test_words_are_left_alone_from_then_on(run: Run, redraft: Run) -> None:
    run("words", "add", "go")
    assert redraft("fix", "She go to school every days.").text == "She go to school every day.\n"
    assert redraft("fix", "--isolated", "She go to school every days.").text == "She goes to school every day.\n"


def test_a_word_that_is_there_already_is_said_so(run: Run) -> None:
    run("words", "add", "Redraft")
    outcome = run("words", "add", "Redraft")
    assert (outcome.code, outcome.err) == (0, "redraft: Redraft was there already\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("remove", "never", "there"), "not in the dictionary: never, there"),
        (("remove", "--project", "there"), "not in the dictionary of the project: there"),
        (("add", "two words"), "an entry of a dictionary is one word"),
        (("add", ""), "an entry of a dictionary is one word"),
    ],
)
def test_a_mistake_is_one_line(run: Run, arguments: tuple[str], message: str) -> None:
    outcome = run("words", *arguments)
    assert outcome.code == 2
    assert message in outcome.err
    assert outcome.err.count("\n") == 1
