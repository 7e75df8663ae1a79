"""Findings as an editor shows them."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from lsprotocol import types

from redraft.check.document import Finding
from redraft.edits.describe import describe, edit_to_mapping
from redraft.edits.edit import Edit, Kind
from redraft.text.positions import Lines, Place
from redraft.text.scripts import is_unspaced
from redraft.text.span import Span

SOURCE = "redraft"
_PAGE = Path(__file__).parent / "kinds.md"
_WORD_AHEAD = re.compile(r"[^\S\r\n]*[^\s]+")
_WORD_BEHIND = re.compile(r"[^\s]+[^\S\r\n]*\Z")
_LONGEST_LOOK = 200
_MARKS = "，。、；：？！“”‘’「」『』（）《》,.;:?!\"'()"


def to_diagnostic(finding: Finding, text: str, lines: Lines) -> types.Diagnostic:
    """`data` carries the edit itself, in code points: what a client does to ranges cannot harm it."""
    edit = finding.edit
    return types.Diagnostic(
        range=to_range(visible_span(edit, text), lines),
        message=_message(edit),
        severity=types.DiagnosticSeverity.Information,
        code=edit.kind.value,
        code_description=types.CodeDescription(href=_page_of(edit.kind)),
        source=SOURCE,
        data=to_data(finding),
    )


def to_data(finding: Finding) -> dict[str, object]:
    return {**edit_to_mapping(finding.edit), "rule": finding.rule}


def to_hover(finding: Finding, text: str, lines: Lines, markdown: bool) -> types.Hover:
    edit = finding.edit
    kind = edit.kind.value.replace("-", " ")
    sure = f"{edit.confidence:.0%} sure"
    paragraphs = [f"**{kind}**: {_plain(describe(edit))}", _plain(edit.explanation), f"*{sure}*"]
    if not markdown:
        paragraphs = [f"{kind}: {describe(edit)}", edit.explanation, sure]
    return types.Hover(
        contents=types.MarkupContent(
            types.MarkupKind.Markdown if markdown else types.MarkupKind.PlainText,
            "\n\n".join(paragraph for paragraph in paragraphs if paragraph),
        ),
        range=to_range(visible_span(edit, text), lines),
    )


def to_range(span: Span, lines: Lines) -> types.Range:
    start, end = lines.place_of(span.start), lines.place_of(span.end)
    return types.Range(types.Position(start.line, start.column), types.Position(end.line, end.column))


def to_offset(position: types.Position, lines: Lines) -> int:
    """The nearest offset there is: a position outside the text means its nearer end."""
    return lines.offset_of(Place(position.line, position.character))


def to_span(range: types.Range, lines: Lines) -> Span:
    """A range that runs backwards is taken for the same range forwards."""
    return Span(*sorted((to_offset(range.start, lines), to_offset(range.end, lines))))


def visible_span(edit: Edit, text: str) -> Span:
    """What to underline: the edit's own span or, where it only inserts, the word behind or before it."""
    if len(edit.span):
        return edit.span
    place = edit.span.start
    ahead = _WORD_AHEAD.match(text[place : place + _LONGEST_LOOK])
    if ahead:
        word = Span(place, place + ahead.end())
        spaces = len(word.of(text)) - len(word.of(text).lstrip())
        start = word.start + spaces
        return Span(start, start + _word_length(text[start : word.end]))
    floor = max(0, place - _LONGEST_LOOK)
    behind = _WORD_BEHIND.search(text[floor:place])
    if not behind:
        return edit.span
    end = floor + len(text[floor:place].rstrip())
    return Span(end - _word_length(text[floor + behind.start() : end][::-1]), place)


def _word_length(word: str) -> int:
    """Where words have no spaces between them, one character is enough to underline, with the marks before it."""
    end = next((place for place, character in enumerate(word) if is_unspaced(character)), len(word))
    return end if word[:end].strip(_MARKS) or end == len(word) else end + 1


def _message(edit: Edit) -> str:
    return f"{describe(edit)}. {edit.explanation}".rstrip()


@cache
def _page_of(kind: Kind) -> str:
    """A page about the kind that came with the program: looking it up tells nobody what one writes."""
    return f"{_PAGE.as_uri()}#{kind.value}"


def _plain(text: str) -> str:
    """Text as Markdown that shows it as it is."""
    return re.sub(r"([\\`*_{}\[\]<>#|~])", r"\\\1", text)
