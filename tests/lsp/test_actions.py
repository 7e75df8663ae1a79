from __future__ import annotations

from dataclasses import replace

import pytest
from lsprotocol import types

from redraft.check.alternatives import Alternative
from redraft.check.document import Finding
from redraft.edits.edit import Edit, Kind
from redraft.lsp.actions import FIX_ALL, code_actions
from redraft.lsp.client import Client
from redraft.lsp.open_document import OpenDocument
from redraft.lsp.tracked_finding import TrackedFinding
from redraft.text.positions import Unit
from redraft.text.span import Span

TEXT = "My freind like tea ."
SPELLING = Edit(Span(3, 9), "freind", "friend", Kind.SPELLING)
AGREEMENT = Edit(Span(10, 14), "like", "likes", Kind.AGREEMENT)
SPACING = Edit(Span(18, 19), " ", "", Kind.SPACING)


@pytest.fixture
def opened() -> OpenDocument:
    opened = OpenDocument("file:///letter.txt", "plaintext", 7, TEXT, Unit.UTF_16)
    findings = [TrackedFinding(Finding(edit, Span(0, 20), "RULE"), TEXT) for edit in (SPELLING, AGREEMENT, SPACING)]
    opened.set_findings(findings, len(TEXT) + 1)
    return opened


def titles(
    opened: OpenDocument, place: int, only: list[str] | None = None, client: Client | None = None, project: bool = True
) -> list[str]:
    findings = opened.at(Span(place, place))
    return [action.title for action in code_actions(opened, findings, only, client or Client(), project)]


def test_a_misspelt_word(opened: OpenDocument) -> None:
    assert titles(opened, 4) == [
        "“freind” → “friend”",
        "Add “freind” to your dictionary",
        "Add “freind” to the project’s dictionary",
        "Ignore here: “freind” → “friend”",
        "Ignore “freind” everywhere",
        "Turn off: spelling",
        "Fix all 3 errors found by Redraft",
    ]
    assert "Add “freind” to the project’s dictionary" not in titles(opened, 4, project=False)


def test_other_replacements_are_fixes_after_the_preferred_one(opened: OpenDocument) -> None:
    [found] = opened.at(Span(11, 11))
    others = {found.finding: (Alternative("likes", 0.8), Alternative("liked", 0.1))}
    actions = code_actions(opened, [found], ["quickfix"], Client(), False, others)
    fixes = [action for action in actions if action.edit]
    assert [(fix.title, fix.is_preferred) for fix in fixes] == [("“like” → “likes”", True), ("“like” → “liked”", False)]
    assert fixes[1].edit and fixes[1].edit.changes
    [edit] = fixes[1].edit.changes[opened.uri]
    assert (edit.range.start.character, edit.range.end.character, edit.new_text) == (10, 14, "liked")
    assert len(code_actions(opened, [found], ["quickfix"], Client(), False)) == len(actions) - 1


def test_actions_shared_by_several_findings_are_offered_once() -> None:
    text = "She go home. He go out."
    edits = [Edit(Span(start, start + 2), "go", "goes", Kind.AGREEMENT) for start in (4, 16)]
    opened = OpenDocument("file:///letter.txt", "plaintext", 7, text, Unit.UTF_16)
    opened.set_findings([TrackedFinding(Finding(edit, Span(0, 12), "RULE"), text) for edit in edits], len(text) + 1)
    actions = code_actions(opened, opened.at(Span(0, len(text))), ["quickfix"], Client(), has_project=False)
    assert [action.title for action in actions] == [
        "“go” → “goes”",
        "Ignore here: “go” → “goes”",
        "Ignore “go” everywhere",
        "Turn off: agreement",
        "“go” → “goes”",
        "Ignore here: “go” → “goes”",
    ]


def test_an_edit_of_a_space(opened: OpenDocument) -> None:
    assert titles(opened, 19)[1:3] == ["Ignore here: “␣” → “”", "Turn off: spacing"]


@pytest.mark.parametrize(
    ("only", "count"),
    [
        (["quickfix"], 4),
        (["source"], 1),
        (["source.fixAll"], 1),
        ([FIX_ALL], 1),
        (["source.organizeImports", "refactor"], 0),
        (["source.fix"], 0),
        ([""], 5),
        ([], 0),
    ],
)
def test_only_the_requested_kinds_of_actions(opened: OpenDocument, only: list[str], count: int) -> None:
    assert len(titles(opened, 12, only)) == count


def test_edits_have_a_version_if_the_editor_supports_it(opened: OpenDocument) -> None:
    findings = opened.at(Span(4, 4))
    new, old = (
        code_actions(opened, findings, None, Client(versioned_edits=able), has_project=False)[0].edit
        for able in (True, False)
    )
    assert new and new.document_changes and not new.changes
    change = new.document_changes[0]
    assert isinstance(change, types.TextDocumentEdit)
    assert change.text_document.version == 7
    assert old and old.changes and not old.document_changes
    assert [edit.new_text for edit in old.changes[opened.uri]] == ["friend"]


def test_a_document_without_findings_offers_nothing() -> None:
    assert titles(OpenDocument("file:///letter.txt", "plaintext", 7, TEXT, Unit.UTF_16), 4) == []


def test_a_possible_error_is_neither_preferred_nor_fixed_with_all(opened: OpenDocument) -> None:
    possible = replace(AGREEMENT, certain=False)
    findings = [TrackedFinding(Finding(edit, Span(0, 20), "RULE"), TEXT) for edit in (SPELLING, possible, SPACING)]
    opened.set_findings(findings, len(TEXT) + 1)
    actions = code_actions(opened, opened.at(Span(11, 11)), None, Client(), has_project=False)
    assert (actions[0].title, actions[0].is_preferred) == ("“like” → “likes”", False)
    assert actions[-1].title == "Fix all 2 errors found by Redraft"
    assert actions[-1].edit and actions[-1].edit.changes
    assert [edit.new_text for edit in actions[-1].edit.changes[opened.uri]] == ["friend", ""]
