from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from redraft.check.alternatives import Alternative
from redraft.check.document import Finding
from redraft.cli.findings import CheckedText, locate
from redraft.cli.report_formats import FORMATS
from redraft.edits.categories import rule_of
from redraft.edits.describe import describe
from redraft.edits.edit import Edit, Kind, apply
from redraft.json_text import to_json
from redraft.terminal.output import Paint
from redraft.text.span import Span

PLAIN = Paint(io.StringIO())
TEXT = "All well.\r\nShe 🙂 go 100% home."
EDIT = Edit(Span(17, 19), "go", "goes", Kind.AGREEMENT, 0.91234567, "Use “goes”, 100% sure.")
OTHER = Edit(Span(9, 11), "\r\n", " ", Kind.SPACING, 0.5)


def check(name: str = "docs/a, b.txt", text: str = TEXT, edits: tuple[Edit, ...] = (OTHER, EDIT)) -> CheckedText:
    findings = [Finding(edit, Span(0, len(text)), rule_of(edit.kind)) for edit in edits]
    return CheckedText(name, tuple(locate(text, findings)))


CHECKED = (check(), CheckedText("clean.txt"), CheckedText("gone.txt", failure="there is no file gone.txt"))


def write(format: str, *checked: CheckedText) -> str:
    return "".join(FORMATS[format](checked or CHECKED, PLAIN))


def test_text_has_one_line_a_finding() -> None:
    assert write("text").splitlines() == [
        "docs/a, b.txt:1:10: spacing: “␍␊” → “␣”.",
        "docs/a, b.txt:2:7: agreement: “go” → “goes”. Use “goes”, 100% sure.",
    ]


def test_json_has_every_file() -> None:
    first, clean, gone = json.loads(write("json"))["files"]
    assert (clean, gone["failure"]) == ({"file": "clean.txt", "findings": []}, "there is no file gone.txt")
    _, finding = first["findings"]
    assert finding.pop("fingerprint")
    assert finding == {
        "line": 2,
        "column": 7,
        "end_line": 2,
        "end_column": 9,
        "rule": "REDRAFT_AGREEMENT",
        "start": 17,
        "end": 19,
        "source": "go",
        "replacement": "goes",
        "kind": "agreement",
        "confidence": 0.9123,
        "explanation": "Use “goes”, 100% sure.",
    }


def test_text_and_json_show_other_replacements() -> None:
    alternatives = (Alternative("goes", 0.91234567), Alternative("went", 0.05), Alternative("", 0.03))
    finding = Finding(EDIT, Span(0, len(TEXT)), rule_of(EDIT.kind), alternatives)
    checked = CheckedText("a.txt", tuple(locate(TEXT, [finding])))
    assert write("text", checked) == (
        "a.txt:2:7: agreement: “go” → “goes” or “went” or nothing. Use “goes”, 100% sure.\n"
    )
    [shown] = json.loads(write("json", checked))["files"][0]["findings"]
    assert shown["alternatives"] == [
        {"replacement": "goes", "confidence": 0.9123},
        {"replacement": "went", "confidence": 0.05},
        {"replacement": "", "confidence": 0.03},
    ]


def test_github_gets_workflow_commands() -> None:
    assert write("github").splitlines() == [
        "::warning file=docs/a%2C b.txt,line=1,endLine=2,title=redraft%3A spacing::“␍␊” → “␣”.",
        "::warning file=docs/a%2C b.txt,line=2,endLine=2,col=7,endColumn=9,title=redraft%3A agreement"
        "::“go” → “goes”. Use “goes”, 100%25 sure.",
        "::error file=gone.txt::there is no file gone.txt",
    ]


def test_checkstyle_is_xml() -> None:
    root = ElementTree.fromstring(write("checkstyle").encode())
    files = {file.get("name"): list(file) for file in root}
    assert list(files) == ["docs/a, b.txt", "clean.txt", "gone.txt"]
    assert files["docs/a, b.txt"][1].attrib == {
        "line": "2",
        "column": "7",
        "severity": "warning",
        "message": "“go” → “goes”. Use “goes”, 100% sure.",
        "source": "redraft.REDRAFT_AGREEMENT",
    }
    assert files["gone.txt"][0].get("severity") == "error"


def test_possible_errors_are_less_severe() -> None:
    possible = check("a.txt", edits=(replace(EDIT, certain=False),))
    assert write("text", possible).startswith("a.txt:2:7: possible agreement: “go” → “goes”.")
    (finding,) = json.loads(write("json", possible))["files"][0]["findings"]
    assert finding["certain"] is False
    assert write("github", possible).startswith("::notice file=a.txt,")
    message = "possible error: “go” → “goes”. Use “goes”, 100% sure."
    (error,) = ElementTree.fromstring(write("checkstyle", possible)).iter("error")
    assert (error.get("severity"), error.get("message")) == ("info", message)
    (result,) = json.loads(write("sarif", possible))["runs"][0]["results"]
    assert (result["level"], result["message"]["text"]) == ("note", message)


def closed(required: dict[str, Any], **optional: Any) -> dict[str, Any]:
    """An object with these properties and no others, as most of the SARIF schema's are."""
    properties = {**required, **optional}
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


def many(items: dict[str, Any], **limits: Any) -> dict[str, Any]:
    return {"type": "array", "items": items, **limits}


WORDS, COUNTED = {"type": "string"}, {"type": "integer", "minimum": 1}
MESSAGE = closed({"text": WORDS})
REGION = closed({"startLine": COUNTED}, startColumn=COUNTED, endLine=COUNTED, endColumn=COUNTED)
ARTIFACT = closed({}, uri={"type": "string", "pattern": r"^[A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=%-]+$"}, uriBaseId=WORDS)
LOCATION = closed({}, physicalLocation=closed({"artifactLocation": ARTIFACT}, region=REGION))
REPLACEMENT = closed({"deletedRegion": REGION}, insertedContent=closed({}, text=WORDS))
CHANGE = closed({"artifactLocation": ARTIFACT, "replacements": many(REPLACEMENT, minItems=1)})
LEVEL = {"enum": ["none", "note", "warning", "error"]}
RESULT = closed(
    {"message": MESSAGE},
    ruleId=WORDS,
    ruleIndex={"type": "integer", "minimum": -1},
    level=LEVEL,
    locations=many(LOCATION),
    partialFingerprints={"type": "object", "additionalProperties": WORDS},
    fixes=many(closed({"artifactChanges": many(CHANGE, minItems=1)}, description=MESSAGE), uniqueItems=True),
    properties={"type": "object"},
)
RULE = closed({"id": WORDS}, name=WORDS, shortDescription=MESSAGE)
DRIVER = closed({"name": WORDS}, semanticVersion=WORDS, rules=many(RULE, uniqueItems=True))
NOTIFICATION = closed({"message": MESSAGE}, level=LEVEL, locations=many(LOCATION))
INVOCATION = closed({"executionSuccessful": {"type": "boolean"}}, toolExecutionNotifications=many(NOTIFICATION))
RUN = closed(
    {"tool": closed({"driver": DRIVER})},
    columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
    results=many(RESULT),
    invocations=many(INVOCATION),
)
SARIF = closed({"version": {"const": "2.1.0"}, "runs": many(RUN)}, **{"$schema": {"type": "string", "format": "uri"}})
"""The part of the SARIF 2.1.0 schema that the format makes use of."""


def read_sarif(*checked: CheckedText) -> dict[str, Any]:
    log = json.loads(write("sarif", *checked))
    jsonschema.validate(log, SARIF)
    (run,) = log["runs"]
    assert isinstance(run, dict)
    return run


def test_sarif_keeps_to_its_schema() -> None:
    run = read_sarif()
    assert run["columnKind"] == "utf16CodeUnits"
    assert len(run["results"]) == 2
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert rules == [rule_of(kind) for kind in Kind]
    assert all(rules[result["ruleIndex"]] == result["ruleId"] for result in run["results"])


def test_sarif_says_which_files_failed() -> None:
    (invocation,) = read_sarif()["invocations"]
    assert not invocation["executionSuccessful"]
    assert invocation["toolExecutionNotifications"][0]["message"]["text"] == "there is no file gone.txt"
    assert read_sarif(check())["invocations"][0]["executionSuccessful"]


def test_sarif_counts_in_utf16() -> None:
    region = read_sarif()["results"][1]["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 2, "startColumn": 8, "endLine": 2, "endColumn": 10}


@given(st.text(alphabet="ab🙂é\n", max_size=30), st.data())
def test_a_fix_of_sarif_does_what_the_edit_does(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    edit = Edit(Span(start, end := data.draw(st.integers(start, len(text)))), text[start:end], "x🙂")
    (result,) = read_sarif(check("a.txt", text, (edit,)))["results"]
    (replacement,) = result["fixes"][0]["artifactChanges"][0]["replacements"]
    region = replacement["deletedRegion"]
    lines = [line.encode("utf-16-le") for line in text.split("\n")]

    def offset(line: int, column: int) -> int:
        return sum(len(before) + 2 for before in lines[: line - 1]) + 2 * (column - 1)

    whole = text.encode("utf-16-le")
    first, last = offset(region["startLine"], region["startColumn"]), offset(region["endLine"], region["endColumn"])
    fixed = whole[:first] + replacement["insertedContent"]["text"].encode("utf-16-le") + whole[last:]
    assert fixed.decode("utf-16-le") == apply(text, [edit])


@pytest.mark.parametrize(
    ("name", "uri"),
    [
        ("docs/a b#é.md", "docs/a%20b%23%C3%A9.md"),
        ("caf\udce9.txt", "caf%E9.txt"),
        ("{here}/x.md", "x.md"),
        ("/elsewhere/x.md", "file:///elsewhere/x.md"),
    ],
)
def test_sarif_names_files_as_uris(name: str, uri: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (result,) = read_sarif(check(name.format(here=tmp_path), edits=(EDIT,)))["results"]
    place = result["locations"][0]["physicalLocation"]["artifactLocation"]
    assert place["uri"] == uri
    assert ("uriBaseId" in place) == (not uri.startswith("file:"))


@pytest.mark.parametrize("format", FORMATS)
def test_what_is_no_character_breaks_no_format(format: str) -> None:
    text = "a\0\x1b\udce9<&\"'>\n%"
    edit = Edit(Span(0, len(text)), text, f"{text}!", Kind.OTHER, 1, text)
    written = write(format, check("<&\0\udce9>", text, (edit,))).encode("utf-8", "surrogateescape")
    if format in ("json", "sarif"):
        json.loads(written)
    if format == "checkstyle":
        ElementTree.fromstring(written)
    if format == "github":
        assert written.count(b"\n") == 1


@pytest.mark.parametrize("format", FORMATS)
def test_reports_are_written_as_files_come(format: str) -> None:
    taken: list[int] = []

    def files() -> Any:
        for number in range(3):
            taken.append(number)
            yield check(f"{number}.txt")

    for piece in FORMATS[format](files(), PLAIN):
        if "0.txt" in piece:
            break
    assert taken == [0]


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


@pytest.mark.parametrize("format", FORMATS)
def test_no_report_has_a_command_for_a_terminal(format: str) -> None:
    name = "\x1b[2J\x9b1m\u202e.txt"
    edit = Edit(Span(0, 3), "\x1b[1", "\x9b\n", Kind.OTHER, 1.0, "Why \x1b\x07?")
    report = write(format, check(name, "\x1b[1 text", (edit,)), CheckedText(name, failure=f"no {name}"))
    assert not any(sign in report for sign in ("\x1b", "\x07", "\x9b", "\u202e"))
