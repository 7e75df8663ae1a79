from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import typer
from git_history import History
from typer.testing import CliRunner, Result

from redraft.cli.commands import mine
from redraft.errors import ConfigError, InputError
from redraft.lab.data.mining import Miner

Run = Callable[..., Result]
TEXT = "Every user have a password.\n\nThe the door is open now.\n\nWe keep the users names in a file.\n"


@pytest.fixture
def run(tmp_path: Path) -> Run:
    app = typer.Typer(pretty_exceptions_enable=False)
    app.command()(mine.mine)

    def run(*arguments: object) -> Result:
        output = ("--output", tmp_path / "out.tsv") if "--output" not in arguments else ()
        return CliRunner().invoke(app, [*map(str, arguments), *map(str, output)], catch_exceptions=False)

    return run


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    history = History(tmp_path / "docs")
    history.commit("Start", {"a.md": TEXT})
    history.replace("Fix grammar", "a.md", "user have", "user has")
    history.replace("Fix doubled word", "a.md", "The the", "The")
    history.replace("Update", "a.md", "password", "key")
    return history.folder


def test_rows_and_report(run: Run, clone: Path, tmp_path: Path) -> None:
    done = run(clone)
    assert done.exit_code == 0
    rows = [line.split("\t") for line in (tmp_path / "out.tsv").read_text(encoding="utf-8").splitlines()]
    assert [row[:3] + row[4:] for row in rows] == [
        ["The the door is open now.", "The door is open now.", "docs", "none", "redundancy", "strict"],
        ["Every user have a password.", "Every user has a password.", "docs", "none", "agreement", "strict"],
    ]
    for line in ("1 dropped: other words", "2 kept: 2 strict, 0 loose", "1 with agreement", "2 pairs in"):
        assert line in done.stdout


def test_limit_and_kinds(run: Run, clone: Path, tmp_path: Path) -> None:
    run(clone, "--limit", 1)
    assert (tmp_path / "out.tsv").read_text(encoding="utf-8").count("\n") == 1
    run(clone, "--kinds", "agreement,article")
    assert (tmp_path / "out.tsv").read_text(encoding="utf-8").startswith("Every user")


def test_wrong_arguments(run: Run, clone: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no kind is called 'grammar'"):
        run(clone, "--kinds", "grammar")
    with pytest.raises(ConfigError, match="name a"):
        run(clone, "--output", tmp_path / "out.txt")
    with pytest.raises(InputError, match="no git repository"):
        run(tmp_path)
    assert not (tmp_path / "out.tsv").exists()


def test_an_interrupted_run_writes_what_it_found(
    run: Run, clone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    choose = Miner._choose
    calls = 0

    def interrupt(*arguments: object) -> object:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise KeyboardInterrupt
        return choose(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(Miner, "_choose", interrupt)
    done = run(clone)
    assert done.exit_code == mine.INTERRUPTED
    assert "interrupted" in done.stderr
    assert (tmp_path / "out.tsv").read_text(encoding="utf-8").startswith("The the door")
