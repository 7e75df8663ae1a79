from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from lsprotocol import types
from pygls.uris import to_fs_path

from redraft.check.document import Finding
from redraft.edits.edit import Edit, Kind
from redraft.lsp.diagnostics import to_diagnostic, to_diagnostics, to_hover, to_span, visible_span
from redraft.text.positions import Lines, Unit
from redraft.text.span import Span

TEXT = "😀 He is teacher.\nNext"


def finding(span: Span, replacement: str, kind: Kind = Kind.ARTICLE) -> Finding:
    return Finding(Edit(span, span.of(TEXT), replacement, kind, 0.75, "Say “a”."), Span(2, 18), "REDRAFT_ARTICLE")


@pytest.mark.parametrize(
    ("text", "underlined"),
    [
        ("He is ^teacher.", "teacher."),
        ("He is^ teacher.", "teacher."),
        ("He is teacher^", "teacher"),
        ("He is teacher ^\nNext", "teacher "),
        ("我对音乐很^兴趣。", "兴"),
        ("他很穷，^“他很快乐。", "“他"),
        ("他用^GitHub写", "GitHub"),
        ("我去公园玩^", "玩"),
        ("^", ""),
        ("\n^\n", ""),
        (f"{'x' * 9999}^", "x" * 200),
    ],
)
def test_an_insertion_underlines_the_word_beside_it(text: str, underlined: str) -> None:
    place = text.index("^")
    plain = text.replace("^", "")
    assert visible_span(Edit(Span(place, place), "", "a "), plain).of(plain) == underlined


def test_the_fields_of_a_diagnostic() -> None:
    place = TEXT.index("teacher")
    diagnostic = to_diagnostic(finding(Span(place, place), "a "), TEXT, Lines(TEXT, Unit.UTF_16))
    assert diagnostic.range == types.Range(types.Position(0, 9), types.Position(0, 17))
    assert diagnostic.message == "add “a”. Say “a”."
    assert diagnostic.code == "article"
    assert isinstance(diagnostic.data, dict)
    assert diagnostic.data["start"] == diagnostic.data["end"] == place
    assert (diagnostic.data["confidence"], diagnostic.data["rule"]) == (0.75, "REDRAFT_ARTICLE")


def test_what_is_left_out_is_counted() -> None:
    lines = Lines(TEXT, Unit.UTF_16)
    findings = [finding(Span(place, place + 1), "x") for place in (2, 5, 8)]
    assert len(to_diagnostics(findings, TEXT, lines, most=3)) == 3
    *shown, notice = to_diagnostics(findings, TEXT, lines, most=2)
    assert shown == [to_diagnostic(one, TEXT, lines) for one in findings[:2]]
    assert notice.message == "3 errors were found; only the first 2 are shown"
    assert notice.range.start == types.Position(0, 9)


@pytest.mark.parametrize("kind", Kind)
def test_every_kind_has_a_section_in_the_documentation(kind: Kind) -> None:
    diagnostic = to_diagnostic(finding(Span(2, 4), "She", kind), TEXT, Lines(TEXT, Unit.UTF_8))
    assert diagnostic.code_description
    page, _, anchor = diagnostic.code_description.href.partition("#")
    path = to_fs_path(page)
    assert path and f"\n## {anchor}\n" in Path(path).read_text(encoding="utf-8")


def test_markdown_in_a_hover_is_escaped() -> None:
    text = "a *b* c"
    edit = Edit(Span(2, 5), "*b*", "<b>", Kind.WORD_CHOICE, 0.5, "Why [not]?")
    found = Finding(edit, Span(0, 7), "REDRAFT_WORD_CHOICE")
    lines = Lines(text, Unit.UTF_16)
    shown = to_hover(found, text, lines, markdown=True).contents
    assert isinstance(shown, types.MarkupContent)
    assert shown.value == "**word choice**: “\\*b\\*” → “\\<b\\>”\n\nWhy \\[not\\]?\n\n*50% sure*"
    plain = to_hover(found, text, lines, markdown=False).contents
    assert isinstance(plain, types.MarkupContent)
    assert (plain.kind, plain.value) == ("plaintext", "word choice: “*b*” → “<b>”\n\nWhy [not]?\n\n50% sure")


def test_a_reversed_range_outside_the_text() -> None:
    lines = Lines("ab\ncd", Unit.UTF_16)
    wild = types.Range(types.Position(9, 9), types.Position(0, 1))
    assert to_span(wild, lines) == Span(1, 5)


def test_a_possible_error_is_a_hint() -> None:
    certain = finding(Span(8, 8), "a ")
    lines = Lines(TEXT, Unit.UTF_16)
    shown = to_diagnostic(certain, TEXT, lines)
    assert (shown.severity, shown.message) == (types.DiagnosticSeverity.Information, "add “a”. Say “a”.")
    possible = replace(certain, edit=replace(certain.edit, certain=False))
    shown = to_diagnostic(possible, TEXT, lines)
    assert (shown.severity, shown.message) == (types.DiagnosticSeverity.Hint, "possible error: add “a”. Say “a”.")
    hover = to_hover(possible, TEXT, lines, markdown=False).contents
    assert isinstance(hover, types.MarkupContent)
    assert hover.value.startswith("possible error: article: ")
