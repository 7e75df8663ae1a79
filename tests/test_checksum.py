from __future__ import annotations

from pathlib import Path

import pytest

from redraft.checksum import checksum
from redraft.errors import InputError


def test_it_is_the_sha_256_of_the_bytes(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"abc")
    # FIPS 180-4's own example
    assert checksum(path) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"missing: cannot be read .*; check the name"):
        checksum(tmp_path / "missing")
    with pytest.raises(InputError, match="cannot be read"):
        checksum(tmp_path)
