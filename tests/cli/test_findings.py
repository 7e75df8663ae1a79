from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from redraft.check.document import Finding
from redraft.cli.findings import LocatedFinding, locate
from redraft.edits.edit import Edit
from redraft.text.span import Span


def find(text: str, *spans: Span) -> list[LocatedFinding]:
    whole = Span(0, len(text))
    return list(locate(text, [Finding(Edit(span, span.of(text), "x"), whole, "REDRAFT_OTHER") for span in spans]))


def test_lines_and_columns_count_from_one() -> None:
    (finding,) = find("All well.\r\nShe 🙂 go home.", Span(17, 19))
    assert (finding.start.line, finding.start.column, finding.start.wide_column) == (2, 7, 8)
    assert (finding.end.line, finding.end.column, finding.end.wide_column) == (2, 9, 10)


@given(st.text(alphabet="ab\n\r🙂é"), st.data())
def test_a_place_leads_back_to_its_offset(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    (finding,) = find(text, Span(start, start))
    lines = text.split("\n")
    before = lines[: finding.start.line - 1]
    assert sum(len(line) + 1 for line in before) + finding.start.column - 1 == start
    written = lines[finding.start.line - 1][: finding.start.column - 1]
    assert len(written.encode("utf-16-le")) // 2 == finding.start.wide_column - 1


def test_a_finding_may_run_over_lines() -> None:
    (finding,) = find("one\ntwo", Span(2, 5))
    assert (finding.start.line, finding.end.line, finding.end.column) == (1, 2, 2)


def test_fingerprints_move_with_their_sentence() -> None:
    sentence, text = "He have two cat.", "Before it.\n\nHe have two cat."
    (alone,) = find(sentence, Span(3, 7))
    moved = Finding(Edit(Span(15, 19), "have", "x"), Span(12, 28), "REDRAFT_OTHER")
    assert next(locate(text, [moved])).fingerprint == alone.fingerprint
    other = Finding(Edit(Span(15, 19), "have", "has"), Span(12, 28), "REDRAFT_OTHER")
    assert next(locate(text, [other])).fingerprint != alone.fingerprint


def test_the_same_finding_twice_has_two_fingerprints() -> None:
    first, second = find("a a", Span(0, 1), Span(2, 3))
    assert first.fingerprint != second.fingerprint
