from __future__ import annotations

import json

import pytest

from redraft.json_text import to_json


@pytest.mark.parametrize("text", ["café 今天", "\x1b[2J", "\x7f\x9b1m", "\u2028\u202e", "\udcff\x9b"])
def test_no_string_is_a_command_to_a_terminal(text: str) -> None:
    written = to_json({text: [text]})
    assert json.loads(written) == {text: [text]}
    assert not any(sign in written for sign in "\x1b\x7f\x9b\u2028\u202e")
    written.encode()
