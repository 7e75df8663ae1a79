"""Formats of reports. A new format is one function and one entry in `FORMATS`."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from html import escape
from pathlib import Path
from typing import Any

from redraft import __version__
from redraft.cli.findings import CheckedText, LocatedFinding
from redraft.edits.describe import describe, edit_to_mapping, explain_edit
from redraft.edits.edit import Edit
from redraft.json_text import to_json
from redraft.terminal.output import Paint, printable

_SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_NO_XML = "[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
"""Characters that are not allowed in XML, not even escaped."""

Format = Callable[[Iterable[CheckedText], Paint], Iterator[str]]


def _text(checked: Iterable[CheckedText], paint: Paint) -> Iterator[str]:
    for file in checked:
        for finding in file.findings:
            edit = finding.edit
            place = paint(f"{printable(file.name)}:{finding.start.line}:{finding.start.column}:", bold=True)
            kind = paint(_name_kind(edit), fg="yellow")
            explanation = paint(printable(edit.explanation), dim=True)
            yield f"{place} {kind}: {printable(_describe_all(finding))}. {explanation}".rstrip() + "\n"


def _name_kind(edit: Edit) -> str:
    return edit.kind.value if edit.certain else f"possible {edit.kind.value}"


def _describe_all(finding: LocatedFinding) -> str:
    others = (other.replacement.strip() for other in finding.alternatives[1:])
    return " or ".join([describe(finding.edit), *(f"“{other}”" if other else "nothing" for other in others)])


def _json(checked: Iterable[CheckedText], paint: Paint) -> Iterator[str]:
    """One object, written as the findings come."""
    yield '{"files": ['
    separator = ""
    for file in checked:
        yield f'{separator}{{"file": {to_json(file.name)}, "findings": ['
        yield from _separate((to_json(_finding_to_mapping(finding)) for finding in file.findings), ", ")
        yield f'], "failure": {to_json(file.failure)}}}' if file.failure else "]}"
        separator = ",\n"
    yield "]}\n"


def _finding_to_mapping(finding: LocatedFinding) -> dict[str, Any]:
    return {
        "line": finding.start.line,
        "column": finding.start.column,
        "end_line": finding.end.line,
        "end_column": finding.end.column,
        "rule": finding.rule,
        "fingerprint": finding.fingerprint,
        **edit_to_mapping(finding.edit),
        **_alternatives_to_mapping(finding),
    }


def _alternatives_to_mapping(finding: LocatedFinding) -> dict[str, Any]:
    found = [{"replacement": one.replacement, "confidence": round(one.confidence, 4)} for one in finding.alternatives]
    return {"alternatives": found} if found else {}


def _github(checked: Iterable[CheckedText], paint: Paint) -> Iterator[str]:
    """Workflow commands: GitHub shows them as annotations of a change."""
    for file in checked:
        name = _escape_property(file.name)
        if file.failure:
            yield f"::error file={name}::{_escape_data(file.failure)}\n"
        for finding in file.findings:
            start, end = finding.start, finding.end
            place = f"line={start.line},endLine={end.line}"
            if start.line == end.line:  # otherwise columns are refused
                place += f",col={start.column},endColumn={end.column}"
            title = _escape_property(f"redraft: {_name_kind(finding.edit)}")
            command = "warning" if finding.edit.certain else "notice"
            yield f"::{command} file={name},{place},title={title}::{_escape_data(explain_edit(finding.edit))}\n"


def _checkstyle(checked: Iterable[CheckedText], paint: Paint) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<checkstyle version="4.3">\n'
    for file in checked:
        yield f"  <file name={_attribute(file.name)}>\n"
        if file.failure:
            yield f'    <error severity="error" message={_attribute(file.failure)} source="redraft"/>\n'
        for finding in file.findings:
            place = f'line="{finding.start.line}" column="{finding.start.column}"'
            severity = "warning" if finding.edit.certain else "info"
            message = _attribute(explain_edit(finding.edit))
            yield f'    <error {place} severity="{severity}" message={message} source="redraft.{finding.rule}"/>\n'
        yield "  </file>\n"
    yield "</checkstyle>\n"


def _sarif(checked: Iterable[CheckedText], paint: Paint) -> Iterator[str]:
    """The static analysis results interchange format, 2.1.0, written as the results come."""
    from redraft.edits.categories import RULES

    places = {rule.id: place for place, rule in enumerate(RULES.values())}
    driver = {
        "name": "redraft",
        "semanticVersion": __version__,
        "rules": [
            {"id": rule.id, "name": rule.name, "shortDescription": {"text": f"{rule.description}."}}
            for rule in RULES.values()
        ],
    }
    failures: list[CheckedText] = []

    def results() -> Iterator[str]:
        for file in checked:
            if file.failure:
                failures.append(file)
            for finding in file.findings:
                yield to_json(_finding_to_sarif(file.name, finding, places[finding.rule]))

    yield f'{{"$schema": "{_SARIF_SCHEMA}", "version": "2.1.0", "runs": [{{"tool": {to_json({"driver": driver})}, '
    yield '"columnKind": "utf16CodeUnits", "results": ['
    yield from _separate(results())
    notifications = [
        {"level": "error", "message": {"text": file.failure}, "locations": [_location_to_sarif(file.name)]}
        for file in failures
    ]
    invocation = {"executionSuccessful": not failures, "toolExecutionNotifications": notifications}
    yield f'], "invocations": [{to_json(invocation)}]}}]}}\n'


def _finding_to_sarif(name: str, finding: LocatedFinding, index: int) -> dict[str, Any]:
    region = {
        "startLine": finding.start.line,
        "startColumn": finding.start.wide_column,
        "endLine": finding.end.line,
        "endColumn": finding.end.wide_column,
    }
    replacement = {"deletedRegion": region, "insertedContent": {"text": finding.edit.replacement}}
    change = {"artifactLocation": _artifact(name), "replacements": [replacement]}
    return {
        "ruleId": finding.rule,
        "ruleIndex": index,
        "level": "warning" if finding.edit.certain else "note",
        "message": {"text": explain_edit(finding.edit)},
        "locations": [_location_to_sarif(name, region)],
        "partialFingerprints": {"redraft/v1": finding.fingerprint},
        "fixes": [{"description": {"text": describe(finding.edit)}, "artifactChanges": [change]}],
        "properties": {"confidence": round(finding.edit.confidence, 4)},
    }


def _location_to_sarif(name: str, region: Mapping[str, int] | None = None) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": _artifact(name)}
    return {"physicalLocation": {**place, "region": region} if region else place}


def _artifact(name: str) -> dict[str, str]:
    """Relative to the current folder if possible: code scanning looks for the file there."""
    from urllib.parse import quote

    path = Path(name)
    if path.is_absolute() and path.is_relative_to(Path.cwd()):
        path = path.relative_to(Path.cwd())
    if path.is_absolute():
        return {"uri": path.as_uri()}
    return {"uri": quote(os.fsencode(path.as_posix())), "uriBaseId": "%SRCROOT%"}


def _separate(items: Iterable[str], separator: str = ",\n") -> Iterator[str]:
    for place, item in enumerate(items):
        yield f"{separator}{item}" if place else item


def _escape_data(text: str) -> str:
    escaped = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return printable(escaped)  # the log of a workflow is shown as in a terminal


def _escape_property(text: str) -> str:
    return _escape_data(text).replace(":", "%3A").replace(",", "%2C")


def _attribute(text: str) -> str:
    """An XML attribute in quotes. Line ends are escaped, since a parser reads bare ones as spaces, and so is what a
    terminal may take for a command."""
    escaped = escape(re.sub(_NO_XML, "\ufffd", text))
    return (
        '"'
        + re.sub("[\t\n\r\x7f-\x9f\u2028-\u202e\u2066-\u2069]", lambda found: f"&#{ord(found.group())};", escaped)
        + '"'
    )


FORMATS: Mapping[str, Format] = {
    "text": _text,
    "json": _json,
    "github": _github,
    "sarif": _sarif,
    "checkstyle": _checkstyle,
}
