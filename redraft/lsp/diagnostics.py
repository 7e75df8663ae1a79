"""Findings as diagnostics and hovers, and positions of the protocol as offsets."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from lsprotocol import types

from redraft.check.document import Finding
from redraft.check.unchecked import Unchecked
from redraft.edits.describe import describe, edit_to_mapping, explain_edit
from redraft.edits.edit import Edit, Kind
from redraft.text.positions import Lines, Place
from redraft.text.scripts import is_unspaced
from redraft.text.span import Span

SOURCE = "redraft"
_PAGE = Path(__file__).parent / "kinds.md"
_WORD_AFTER = re.compile(r"[^\S\r\n]*[^\s]+")
_WORD_BEFORE = re.compile(r"[^\s]+[^\S\r\n]*\Z")
_MAX_DISTANCE = 200
_MARKS = "，。、；：？！“”‘’「」『』（）《》,.;:?!\"'()"


def to_diagnostic(finding: Finding, text: str, lines: Lines) -> types.Diagnostic:
    """The diagnostic of a finding. `data` has the edit in code points, because clients may alter ranges."""
    edit = finding.edit
    return types.Diagnostic(
        range=to_range(visible_span(edit, text), lines),
        message=explain_edit(edit),
        severity=types.DiagnosticSeverity.Information if edit.certain else types.DiagnosticSeverity.Hint,
        code=edit.kind.value,
        code_description=types.CodeDescription(href=_page_of(edit.kind)),
        source=SOURCE,
        data=to_data(finding),
    )


def to_diagnostics(findings: Sequence[Finding], text: str, lines: Lines, most: int) -> list[types.Diagnostic]:
    """The diagnostics of the first findings; where the next one is, one that says how many there are."""
    diagnostics = [to_diagnostic(finding, text, lines) for finding in findings[:most]]
    if len(findings) > most:
        notice = types.Diagnostic(
            range=to_range(visible_span(findings[most].edit, text), lines),
            message=f"{len(findings):,} errors were found; only the first {most:,} are shown",
            severity=types.DiagnosticSeverity.Information,
            source=SOURCE,
        )
        diagnostics.append(notice)
    return diagnostics


def to_data(finding: Finding) -> dict[str, object]:
    return {**edit_to_mapping(finding.edit), "rule": finding.rule}


def to_hover(finding: Finding, text: str, lines: Lines, markdown: bool) -> types.Hover:
    edit = finding.edit
    kind = edit.kind.value.replace("-", " ")
    kind = kind if edit.certain else f"possible error: {kind}"
    confidence = f"{edit.confidence:.0%} sure"
    paragraphs = [f"**{kind}**: {_escape(describe(edit))}", _escape(edit.explanation), f"*{confidence}*"]
    if not markdown:
        paragraphs = [f"{kind}: {describe(edit)}", edit.explanation, confidence]
    return types.Hover(
        contents=types.MarkupContent(
            types.MarkupKind.Markdown if markdown else types.MarkupKind.PlainText,
            "\n\n".join(paragraph for paragraph in paragraphs if paragraph),
        ),
        range=to_range(visible_span(edit, text), lines),
    )


def to_unchecked_hover(unchecked: Unchecked, lines: Lines) -> types.Hover:
    content = types.MarkupContent(types.MarkupKind.PlainText, f"not checked: {unchecked.message}")
    return types.Hover(contents=content, range=to_range(unchecked.span, lines))


def to_range(span: Span, lines: Lines) -> types.Range:
    start, end = lines.place_of(span.start), lines.place_of(span.end)
    return types.Range(types.Position(start.line, start.column), types.Position(end.line, end.column))


def to_offset(position: types.Position, lines: Lines) -> int:
    """The offset of a position; for a position outside the text, the nearest one inside."""
    return lines.offset_of(Place(position.line, position.character))


def to_span(range: types.Range, lines: Lines) -> Span:
    """The span of a range, also of one whose end comes before its start."""
    return Span(*sorted((to_offset(range.start, lines), to_offset(range.end, lines))))


def visible_span(edit: Edit, text: str) -> Span:
    """The span to underline: that of the edit or, for an insertion, of the word after or before it."""
    if len(edit.span):
        return edit.span
    place = edit.span.start
    after = _WORD_AFTER.match(text[place : place + _MAX_DISTANCE])
    if after:
        word = Span(place, place + after.end())
        spaces = len(word.of(text)) - len(word.of(text).lstrip())
        start = word.start + spaces
        return Span(start, start + _word_length(text[start : word.end]))
    floor = max(0, place - _MAX_DISTANCE)
    before = _WORD_BEFORE.search(text[floor:place])
    if not before:
        return edit.span
    end = floor + len(text[floor:place].rstrip())
    return Span(end - _word_length(text[floor + before.start() : end][::-1]), place)


def _word_length(word: str) -> int:
    """Length of the first word; in scripts without spaces, of one character and the punctuation before it."""
    end = next((place for place, character in enumerate(word) if is_unspaced(character)), len(word))
    return end if word[:end].strip(_MARKS) or end == len(word) else end + 1


@cache
def _page_of(kind: Kind) -> str:
    """Address of the section about the kind in kinds.md, a local file, so that reading it sends nothing."""
    return f"{_PAGE.as_uri()}#{kind.value}"


def _escape(text: str) -> str:
    """Escapes the characters that have a meaning in Markdown."""
    return re.sub(r"([\\`*_{}\[\]<>#|~])", r"\\\1", text)
