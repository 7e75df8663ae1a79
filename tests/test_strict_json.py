"""JSON from strangers is read within limits; each problem is one line."""

from __future__ import annotations

import pytest

from redraft.errors import ModelError, one_line
from redraft.strict_json import file_size, parse_object, read_object


def test_an_object_is_read():
    assert parse_object(b'{"a": [1, -2.5, null, "\\u00e9"], "12345678901234567890": 10}') == {
        "a": [1, -2.5, None, "é"],
        "12345678901234567890": 10,
    }


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"[]", "JSON object"),
        (b"{", "line 1"),
        (b'{"a": NaN}', "NaN"),
        (b'{"a": -Infinity}', "Infinity"),
        (b'{"a": {"b": 1, "b": 1}}', "'b' twice"),
        (b'{"a": 123456789012345678901}', "21 digits"),
        (b'{"a": ' + b"9" * 5000 + b"}", "5,000 digits"),
        (b'{"a": ' + b"[" * 100_000, "nested"),
        (b'{"\xff": 1}', "UTF-8"),
    ],
)
def test_a_problem_is_named(data, problem):
    with pytest.raises(ValueError, match=problem):
        parse_object(data)


def test_a_large_file_is_not_read(tmp_path):
    path = tmp_path / "a.json"
    path.write_text('{"a": 1}')
    assert file_size(path, 8) == 8
    assert read_object(path, 8) == {"a": 1}
    with pytest.raises(ModelError, match="at most 7"):
        read_object(path, 7)


def test_only_regular_files_are_read(tmp_path):
    with pytest.raises(ModelError, match="missing"):
        file_size(tmp_path / "none", 1)
    with pytest.raises(ModelError, match="regular"):
        file_size(tmp_path, 1)
    (tmp_path / "link").symlink_to(tmp_path)
    with pytest.raises(ModelError, match="symbolic link"):
        file_size(tmp_path / "link", 1)


def test_a_message_is_one_printable_line():
    assert one_line("a\nb\x1b[2J\ud800é") == "a\\nb\\x1b[2J\\ud800é"
    assert one_line("x" * 20, 10) == "x" * 9 + "…"
