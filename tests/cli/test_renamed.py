from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from redraft.cli.renamed import RENAMED_COMMANDS

Run = Callable[..., Any]


@pytest.mark.parametrize(
    ("command", "old", "new"),
    [
        ("fix", "--min-confidence", "--threshold"),
        ("bench identity", "--policies", "--draft"),
        ("bench identity", "--limit", "--sentences"),
        ("bench document", "--format", "--input-format"),
        ("bench document", "--markup", "--input-format"),
        ("fix", "--markup", "--input-format"),
        ("check", "--markup", "--input-format"),
        ("bench peers", "--checked", "--checker-sentences"),
        ("distill", "--errors", "--error-table"),
        ("score characters", "--no-sounds", "--no-pinyin"),
        ("score characters", "--as-is", "--no-simplify"),
        ("synthesize", "--table", "--error-table"),
        ("tokenizer", "--out", "--output"),
    ],
)
def test_an_old_option_is_refused_with_its_new_name(run: Run, command: str, old: str, new: str) -> None:
    outcome = run(*command.split(), old, "1")
    assert outcome.code == 2
    assert f"{old} is now called {new}" in outcome.err
    assert not re.search(rf"{old}(?![\w-])", run(*command.split(), "--help").text)
    assert new in run(*command.split(), "--help").text


def test_an_unknown_option_stays_an_unknown_option(run: Run) -> None:
    for arguments in (("models", "--policiez"), ("fix", "--limit", "1")):
        outcome = run(*arguments)
        assert outcome.code == 2
        assert "No such option" in outcome.err


def test_an_old_command_is_refused_with_its_new_name(run: Run) -> None:
    for old, new in RENAMED_COMMANDS.items():
        _, *groups, name = old.split()
        outcome = run(*groups, name, "text.txt")
        assert outcome.code == 2
        assert f"`{old}` is now called `{' '.join(['redraft', *groups, new])}`" in outcome.err
