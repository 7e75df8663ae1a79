from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from redraft.errors import InputError
from redraft.lab.data.table import ErrorTable


def test_a_table_comes_back_as_it_was(table: ErrorTable, table_file: Path) -> None:
    assert ErrorTable.load(table_file) == table


def test_the_same_table_gives_the_same_bytes(table: ErrorTable, tmp_path: Path) -> None:
    table.save(tmp_path / "one.json.gz")
    table.save(tmp_path / "two.json.gz")
    assert (tmp_path / "one.json.gz").read_bytes() == (tmp_path / "two.json.gz").read_bytes()


def test_a_missing_table_says_how_to_make_it(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="redraft error-table"):
        ErrorTable.load(tmp_path / "none.json.gz")


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"no gzip", id="no gzip"),
        # Named, since gzip writes the time into its header: a test's name must not change with the clock.
        pytest.param(gzip.compress(b"no json"), id="no json"),
        pytest.param(gzip.compress(b'{"format": 99}'), id="another format"),
    ],
)
def test_a_damaged_table_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "errors.json.gz"
    path.write_bytes(content)
    with pytest.raises(InputError, match="not an error table"):
        ErrorTable.load(path)


def test_a_table_with_an_unknown_field_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "errors.json.gz"
    path.write_bytes(
        gzip.compress(
            b'{"format": 1, "language": "en", "candidates": {}, "misspellings": {}, '
            b'"spelling_rules": [], "function_words": [], "surprise": 1}'
        )
    )
    with pytest.raises(InputError, match="surprise"):
        ErrorTable.load(path)
