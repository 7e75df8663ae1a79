from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from redraft.check.document import Finding
from redraft.edits.edit import Edit, Kind
from redraft.lsp.diagnostics import to_range
from redraft.lsp.open_document import OpenDocument
from redraft.lsp.tracked_finding import TrackedFinding
from redraft.lsp.typing_state import PAUSE_SECONDS
from redraft.text.positions import Lines, Unit
from redraft.text.span import Span

TEXTS = st.text("ab😀é\r\n", max_size=20)


def open_document(text: str, *words: str, unit: Unit = Unit.UTF_16) -> OpenDocument:
    """A document with a finding at each of the words; each line is a sentence."""
    opened = OpenDocument("file:///letter.txt", "plaintext", 1, text, unit)
    opened.set_findings([tracked(text, word) for word in words], len(text) + 1)
    return opened


def tracked(text: str, word: str) -> TrackedFinding:
    start = text.index(word)
    line = Span(text.rfind("\n", 0, start) + 1, (text + "\n").index("\n", start))
    edit = Edit(Span(start, start + len(word)), word, word.upper(), Kind.SPELLING, 0.9)
    return TrackedFinding(Finding(edit, line, "REDRAFT_SPELLING_RULE"), line.of(text))


def edit(opened: OpenDocument, start: int, end: int, new: str, now: float = 0.0) -> None:
    change = types.TextDocumentContentChangePartial(to_range(Span(start, end), opened.lines), new)
    opened.change([change], opened.version + 1, now)


def words(findings: object) -> list[str]:
    return [found.edit.source for found in findings]  # type: ignore[attr-defined]


@given(st.data(), st.sampled_from([Unit.UTF_8, Unit.UTF_16, Unit.UTF_32]))
def test_changes_give_the_text_of_the_editor(data: st.DataObject, unit: Unit) -> None:
    text = data.draw(TEXTS)
    opened = open_document(text, unit=unit)
    for _ in range(3):
        places = [place for place in range(len(text) + 1) if text[place - 1 : place + 1] != "\r\n"]
        start, end = sorted(data.draw(st.tuples(st.sampled_from(places), st.sampled_from(places))))
        new = data.draw(TEXTS)
        place = to_range(Span(start, end), Lines(text, unit))
        opened.change([types.TextDocumentContentChangePartial(place, new)], 2, 0.0)
        text = text[:start] + new + text[end:]
        assert opened.text == text


@given(st.data())
def test_findings_always_match_the_text(data: st.DataObject) -> None:
    opened = open_document("one two three.\nfour five.", "one", "three", "five")
    for _ in range(4):
        size = len(opened.text)
        start, end = sorted(data.draw(st.tuples(st.integers(0, size), st.integers(0, size))))
        edit(opened, start, end, data.draw(st.text("x \n", max_size=3)))
        for found in opened.findings:
            assert found.edit.span.of(opened.text) == found.edit.source
            assert found.finding.sentence.contains(found.edit.span)


@given(st.integers(0, 50), st.integers(0, 50), st.integers(0, 50), st.integers(0, 50))
def test_positions_outside_the_text_do_no_harm(line: int, column: int, end_line: int, end_column: int) -> None:
    opened = open_document("a 😀 b\nc", "b")
    place = types.Range(types.Position(line, column), types.Position(end_line, end_column))
    opened.change([types.TextDocumentContentChangePartial(place, "x")], 2, 0.0)
    assert "x" in opened.text


def test_sending_the_whole_text_keeps_findings_in_unchanged_parts() -> None:
    opened = open_document("one two.\nthree four.", "one", "three")
    opened.change([types.TextDocumentContentChangeWholeDocument("one two.\nthree five.")], 2, 0.0)
    assert words(opened.findings) == ["one", "three"]


def test_shown_findings_stay_while_typing_beside_them() -> None:
    opened = open_document("one two three", "one")
    assert words(opened.show(0)) == ["one"]
    edit(opened, 13, 13, " four", now=5)
    opened.set_findings([tracked(opened.text, "one"), tracked(opened.text, "four")], len(opened.text) + 1)
    assert words(opened.show(5)) == ["one"]
    assert opened.next_show() is None  # only when the caret leaves
    edit(opened, len(opened.text), len(opened.text), ".", now=6)
    opened.set_findings([tracked(opened.text, "one"), tracked(opened.text, "four")], len(opened.text) + 1)
    assert words(opened.show(6)) == ["one"]
    assert opened.next_show() == 6 + PAUSE_SECONDS
    assert words(opened.show(6 + PAUSE_SECONDS)) == ["one", "four"]
    assert opened.next_show() is None


def test_accepting_a_suggestion_shows_the_others_at_once() -> None:
    opened = open_document("one two three.", "one", "three")
    opened.show(0)
    edit(opened, 0, 3, "ONE", now=9)
    opened.set_findings([tracked(opened.text, "two"), tracked(opened.text, "three")], len(opened.text) + 1)
    assert words(opened.show(9)) == ["two", "three"]


def test_fix_all_skips_an_unfinished_sentence() -> None:
    opened = open_document("one two.\nthree")
    edit(opened, len(opened.text), len(opened.text), " four")
    opened.set_findings([tracked(opened.text, "one"), tracked(opened.text, "four")], len(opened.text) + 1)
    assert words(opened.fixable()) == ["one"]
    assert opened.look_at(Span(0, 0))
    assert words(opened.fixable()) == ["one", "four"]


def test_a_request_about_the_sentence_being_typed_does_not_leave_it() -> None:
    opened = open_document("one two.\nthree")
    edit(opened, len(opened.text), len(opened.text), " four")
    opened.set_findings([tracked(opened.text, "four")], len(opened.text) + 1)
    assert not opened.look_at(Span(len(opened.text), len(opened.text)))
    assert not opened.look_at(Span(10, 11))
    assert words(opened.show(0)) == []


def test_a_finding_is_found_again_by_its_data() -> None:
    opened = open_document("one two one two", "two")
    second = TrackedFinding(Finding(Edit(Span(12, 15), "two", "TWO", Kind.SPELLING), Span(0, 15), "RULE"), "")
    opened.set_findings([*opened.findings, second], 16)
    data = {"source": "two", "replacement": "TWO", "kind": "spelling"}
    assert opened.find({**data, "start": 13}) == opened.findings[1]
    assert opened.find({**data, "start": 1}) == opened.findings[0]
    assert opened.find({**data, "start": "?"}) == opened.findings[0]
    assert opened.find({**data, "kind": ["what"]}) is None
    assert opened.find(None) is None


def test_findings_further_on_are_kept_until_checked_again() -> None:
    opened = open_document("one two three", "one", "three")
    opened.set_findings([tracked(opened.text, "two")], reached=7)
    assert words(opened.findings) == ["two", "three"]
