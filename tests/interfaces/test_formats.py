from __future__ import annotations

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redraft.edits.edit import Edit, Kind
from redraft.interfaces.formats import FORMATS, CheckedText, describe, locate, to_json
from redraft.interfaces.output import Paint
from redraft.text.span import Span

PLAIN = Paint(io.StringIO())
TEXT = "All well.\r\nShe go 🙂 home."
EDIT = Edit(Span(15, 17), "go", "goes", Kind.AGREEMENT, 0.91234567, "Use “goes”.")


def test_lines_and_columns_count_from_one() -> None:
    finding = next(locate(TEXT, [EDIT]))
    assert (finding.line, finding.column) == (2, 5)


@given(st.text(alphabet="ab\n\r🙂"), st.data())
def test_a_place_leads_back_to_its_offset(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    finding = next(locate(text, [Edit(Span(start, start), "", "x")]))
    before = text.split("\n")[: finding.line - 1]
    assert sum(len(line) + 1 for line in before) + finding.column - 1 == start


def test_text_has_one_line_a_finding() -> None:
    checked = [CheckedText("a.txt", tuple(locate(TEXT, [EDIT]))), CheckedText("clean.txt", ())]
    assert list(FORMATS["text"](checked, PLAIN)) == ["a.txt:2:5: agreement: “go” → “goes”. Use “goes”.\n"]


def test_json_has_every_file() -> None:
    checked = [CheckedText("a.txt", tuple(locate(TEXT, [EDIT]))), CheckedText("clean.txt", ())]
    files = json.loads("".join(FORMATS["json"](checked, PLAIN)))["files"]
    assert [file["file"] for file in files] == ["a.txt", "clean.txt"]
    assert files[0]["findings"] == [
        {
            "line": 2,
            "column": 5,
            "start": 15,
            "end": 17,
            "source": "go",
            "replacement": "goes",
            "kind": "agreement",
            "confidence": 0.9123,
            "explanation": "Use “goes”.",
        }
    ]


@pytest.mark.parametrize(
    ("source", "replacement", "phrase"),
    [
        ("go", "goes", "“go” → “goes”"),
        ("", "a ", "add “a”"),
        (" the", "", "drop “the”"),
        (" ,", ",", "“␣,” → “,”"),
        ("  ", " ", "“␣␣” → “␣”"),
        ("a\n", "a", "“a␊” → “a”"),
    ],
)
def test_an_edit_is_described_in_a_phrase(source: str, replacement: str, phrase: str) -> None:
    assert describe(Edit(Span(0, len(source)), source, replacement)) == phrase


def test_broken_bytes_do_not_break_json() -> None:
    line = to_json({"text": "caf\udce9"})
    assert json.loads(line.encode()) == {"text": "caf\udce9"}
