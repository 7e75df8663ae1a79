"""Fixtures for tests of the commands that make training data."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from english_folder import lay_out, pack
from typer.testing import CliRunner, Result

from redraft.cli.main import app
from redraft.lab.data.table import Candidate, ErrorTable, Family

Invoke = Callable[..., Result]
PAIRS = "He go home.\tHe goes home.\nAll is well.\tAll is well.\nno tab here\nHe go home.\tHe goes home.\n"


@pytest.fixture
def invoke() -> Invoke:
    """Runs `redraft ARGUMENTS…`. Unlike `run`, it raises errors instead of printing them."""

    def invoke(*arguments: object) -> Result:
        return CliRunner().invoke(app, [str(argument) for argument in arguments], catch_exceptions=False)

    return invoke


@pytest.fixture
def table_file(tmp_path: Path) -> Path:
    path = tmp_path / "table.json.gz"
    candidates = {"the": (Candidate("", Family.ARTICLE, 4000.0),)}
    ErrorTable("en", candidates=candidates, ranks={"the": 0, "cats": 1}, density={"article": 400.0}).save(path)
    return path


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    path = tmp_path / "in.tsv"
    path.write_text(PAIRS)
    return path


@pytest.fixture
def open_folder(tmp_path: Path) -> Path:
    folder = lay_out(tmp_path / "en")
    (folder / "mined").mkdir()
    rows = ["I has a cat.\tI have a cat.\tmdn/content\tINFL", "He go.\tHe goes.\tsome/where\tINFL"]
    pack(folder / "mined" / "git_spell.tsv.xz", rows)
    return folder
