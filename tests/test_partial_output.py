from __future__ import annotations

from pathlib import Path

import pytest

from redraft.errors import InputError
from redraft.partial_output import PartialOutput


@pytest.fixture
def output(tmp_path: Path) -> PartialOutput:
    return PartialOutput(tmp_path / "text.partial", tmp_path / "text.progress")


def test_what_was_written_after_the_last_record_is_cut_off(output: PartialOutput) -> None:
    with output.open() as writer:
        writer.append(b"one ", {"size": 4})
        writer.append(b"two ", {"size": 8})
    with output.path.open("ab") as file:
        file.write(b"torn")
    assert output.read_record() == {"size": 8}
    with output.open(8) as writer:
        writer.append(b"three", {"size": 13})
    assert output.path.read_bytes() == b"one two three"
    assert output.read_record() == {"size": 13}


def test_a_new_start_leaves_nothing_of_the_old_one(output: PartialOutput) -> None:
    with output.open() as writer:
        writer.append(b"old", {"size": 3})
    with output.open(mode=0o600):
        assert output.read_record() is None
        assert output.path.read_bytes() == b""
        assert output.path.stat().st_mode & 0o777 == 0o600
    output.discard()
    assert list(output.path.parent.iterdir()) == []


@pytest.mark.parametrize("record", ["", "{", "[]", "[" * 100_000], ids=["empty", "torn", "list", "deep"])
def test_a_damaged_record_is_named(output: PartialOutput, record: str) -> None:
    output.record.write_text(record)
    with pytest.raises(InputError, match=r"progress: damaged .*start again without --resume"):
        output.read_record()


@pytest.mark.parametrize("data", [None, b"short"], ids=["missing", "short"])
def test_an_output_shorter_than_its_record_is_named(output: PartialOutput, data: bytes | None) -> None:
    if data:
        output.path.write_bytes(data)
    with pytest.raises(InputError, match=r"text\.partial is shorter than its progress file says"), output.open(6):
        pass
    assert output.path.exists() == (data is not None)
