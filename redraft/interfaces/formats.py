"""How findings are written. A new format is one function and one line in `FORMATS`."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from redraft.edits.edit import Edit
from redraft.interfaces.output import Paint


@dataclass(frozen=True, slots=True)
class Finding:
    """An edit and where it begins, counted from 1 as editors do."""

    line: int
    column: int
    edit: Edit


@dataclass(frozen=True, slots=True)
class CheckedText:
    name: str
    findings: tuple[Finding, ...]


Format = Callable[[Iterable[CheckedText], Paint], Iterator[str]]


def locate(text: str, edits: Iterable[Edit]) -> Iterator[Finding]:
    starts = [0, *(index + 1 for index, character in enumerate(text) if character == "\n")]
    for edit in edits:
        line = bisect_right(starts, edit.span.start)
        yield Finding(line, edit.span.start - starts[line - 1] + 1, edit)


def edit_to_mapping(edit: Edit) -> dict[str, Any]:
    """Offsets are code points, the end exclusive."""
    return {
        "start": edit.span.start,
        "end": edit.span.end,
        "source": edit.source,
        "replacement": edit.replacement,
        "kind": edit.kind.value,
        "confidence": round(edit.confidence, 4),
        "explanation": edit.explanation,
    }


def describe(edit: Edit) -> str:
    """What to do, in one short phrase. Spaces show where they are all that changes."""
    source, replacement = edit.source.strip(), edit.replacement.strip()
    if source == replacement:
        return f"“{_show_spaces(edit.source)}” → “{_show_spaces(edit.replacement)}”"
    if not source:
        return f"add “{replacement}”"
    return f"“{source}” → “{replacement}”" if replacement else f"drop “{source}”"


def to_json(value: Any) -> str:
    """One line of JSON. Bytes that are not UTF-8 are escaped, so that the line is always valid."""
    text = json.dumps(value, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value)
    return text


def _text(checked: Iterable[CheckedText], paint: Paint) -> Iterator[str]:
    for file in checked:
        for finding in file.findings:
            edit = finding.edit
            place = paint(f"{file.name}:{finding.line}:{finding.column}:", bold=True)
            kind = paint(edit.kind.value, fg="yellow")
            yield f"{place} {kind}: {describe(edit)}. {paint(edit.explanation, dim=True)}".rstrip() + "\n"


def _json(checked: Iterable[CheckedText], paint: Paint) -> Iterator[str]:
    files = [
        {
            "file": file.name,
            "findings": [
                {"line": finding.line, "column": finding.column, **edit_to_mapping(finding.edit)}
                for finding in file.findings
            ],
        }
        for file in checked
    ]
    yield f"{to_json({'files': files})}\n"


FORMATS: Mapping[str, Format] = {"text": _text, "json": _json}


def _show_spaces(text: str) -> str:
    return text.replace(" ", "␣").replace("\t", "⇥").replace("\r", "␍").replace("\n", "␊")
