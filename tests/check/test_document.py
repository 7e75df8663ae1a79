"""A document that changes, checked with a real, tiny model."""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rewriting import corrector_that

from redraft.check.corrector import Corrector
from redraft.check.document import Document
from redraft.check.loading import load
from redraft.check.options import CheckOptions
from redraft.check.requests import solve_requests
from redraft.check.session import CheckSession
from redraft.check.stale import Stale
from redraft.check.user_rules import UserRulesStore
from redraft.edits.categories import rule_of
from redraft.edits.edit import Edit, Kind, apply
from redraft.errors import InputError
from redraft.text.dialects import Dialect
from redraft.text.markup import FORMATS, Marked, Part, join
from redraft.text.span import Span

TEXT = "She go to school every days.\n\nHe have two cat. I am agree with you."


@pytest.fixture(scope="module")
def corrector(tiny_model) -> Corrector:
    return load(tiny_model.path)


def edits(document: Document) -> list[Edit]:
    return [finding.edit for finding in document.check()]


def corrected_text(document: Document) -> str:
    return apply(document.text, edits(document))


def open_document(corrector: Corrector, text: str | Marked = "", **options: Any) -> Document:
    return CheckSession(corrector, CheckOptions(**options)).open(text)


class Counting:
    """A corrector that records which sentences are decoded, and not taken from the cache."""

    def __init__(self, corrector: Corrector) -> None:
        self.asked: list[str] = []
        self.corrector = corrector.with_solver_options().with_solve(self._solve)

    def _solve(self, requests, is_stale):
        self.asked += [
            request.sentence
            for request in requests
            if not request.solver.is_cached(request.sentence, request.threshold)
        ]
        return solve_requests(requests, is_stale)


def test_findings_lie_in_the_source(corrector):
    document = open_document(corrector, TEXT)
    assert corrected_text(document) == "She goes to school every day.\n\nHe has two cats. I agree with you."
    assert {finding.sentence.of(TEXT) for finding in document.check()} == {
        "She go to school every days.",
        "He have two cat.",
        "I am agree with you.",
    }


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            ["She go to school every days.", "He have two cat.", "\n", "\n\n", " ", "```", "foo", "She\ngo", "a (b) c"]
        ),
        max_size=8,
    ).map("".join)
)
def test_plain_text_is_corrected_as_the_corrector_does(corrector, text):
    assert edits(open_document(corrector, text)) == list(corrector.correct(text).edits)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40, deadline=None)
@given(
    st.sampled_from(["plain", "markdown", "latex", "html", "python"]),
    st.lists(
        st.tuples(
            st.integers(0, 60),
            st.integers(0, 20),
            st.sampled_from(["", "x", " ", "\n\n", "# ", "`", "He have two cat.", "$", "<p>", '"""', "- "]),
        ),
        max_size=6,
    ),
)
def test_after_any_edits_it_finds_what_a_new_document_finds(corrector, format, changes):
    document = open_document(corrector, TEXT, format=format)
    for start, length, new in changes:
        end = len(document.text)
        document.replace(Span(min(start, end), min(start + length, end)), new)
        assert document.check() == open_document(corrector, document.text, format=format).check()
    assert document.version == len(changes)


def test_a_keystroke_solves_one_sentence(corrector):
    counting = Counting(corrector)
    document = open_document(counting.corrector, TEXT)
    document.check()
    counting.asked.clear()
    document.replace(Span(len(TEXT) - 1, len(TEXT) - 1), "s")
    document.check()
    assert counting.asked == ["I am agree with yous."]
    counting.asked.clear()
    document.replace(Span(len(TEXT) - 1, len(TEXT)), "")
    document.check()
    assert counting.asked == []


def test_a_long_paragraph_comes_a_few_sentences_at_a_time(corrector):
    counting = Counting(corrector)
    text = " ".join(f"She go to school every days. The room has number {number}." for number in range(20))
    document = open_document(counting.corrector, text)
    steps = document.check_stepwise(step=100)
    first = next(steps)
    assert [finding.edit.replacement for finding in first.findings] == ["goes", "day"]
    assert len(counting.asked) < 5
    sentences = [first, *steps]
    assert [sentence.span.of(text) for sentence in sentences] == [piece.span.of(text) for piece in corrector.cut(text)]
    found = [finding.edit for sentence in sentences for finding in sentence.findings]
    assert found == list(corrector.correct(text).edits)
    counting.asked.clear()
    assert edits(document) == found
    document.replace(Span(text.index("number 12"), text.index("number 12") + 6), "the number")
    assert len(list(document.check_stepwise(step=100))) == 40
    assert counting.asked == ["The room has the number 12."]


def test_memory_is_bounded(corrector, monkeypatch):
    monkeypatch.setattr("redraft.check.document._MIN_CACHED", 8)
    document = open_document(corrector, "a")
    for number in range(20):
        document.replace_all(f"word {number}")
        document.check()
    assert len(document._blocks) == 8


@pytest.mark.parametrize(
    ("format", "source", "expected"),
    [
        ("markdown", "- She go to **school** every days.\n", "- She goes to **school** every day.\n"),
        ("markdown", "# She go to school every days.\n", "# She goes to school every day.\n"),
        ("markdown", "```\nShe go to school every days.\n```\n", "```\nShe go to school every days.\n```\n"),
        ("markdown", "They was late for the\nthe train.", "They were late for\nthe train."),
        ("python", "# They was late for the\n# the train.\n", "# They were late for\n# the train.\n"),
        ("latex", "She go to \\emph{school} every days.", "She goes to \\emph{school} every day."),
        ("html", "<p>She go to <i>school</i> every days.</p>", "<p>She goes to <i>school</i> every day.</p>"),
    ],
)
def test_markup_stays(corrector, format, source, expected):
    assert corrected_text(open_document(corrector, source, format=format)) == expected


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("She go to school every days", "She go to school every days"),  # a cell need not be a sentence
        ("She go to school every days.", "She goes to school every day."),
        ("My freind likes music and tea", "My friend likes music and tea"),
        ("No stop. She go to school every days.", "No stop. She goes to school every day."),
    ],
)
@pytest.mark.parametrize(
    ("format", "table"),
    [("markdown", "| a |\n|---|\n| {} |\n"), ("html", "<table><tr><td>{}</td></tr></table>")],
)
def test_a_cell_that_does_not_end_like_a_sentence_is_only_spelled(format, table, cell, expected):
    rewrite = {
        "She go to school every days": "She goes to school every day",
        "She go to school every days.": "She goes to school every day.",
        "My freind likes music and tea": "My friend likes music and the tea",
    }
    corrector = corrector_that(lambda sentence: rewrite.get(sentence, sentence))
    assert corrected_text(open_document(corrector, table.format(cell), format=format)) == table.format(expected)


@pytest.mark.parametrize("answer", ["Read X, X and X today.", "Read X, the X today."])
def test_what_code_is_read_as_is_never_written(answer):
    corrector = corrector_that(lambda sentence: answer if sentence == "Read X, X today." else sentence)
    source = "Read `a`, `b` today."
    found = edits(open_document(corrector, source, format="markdown"))
    assert not any("X" in edit.replacement for edit in found)
    assert len(found) == (0 if answer.count("X") > 2 else 1)


def test_annotated_text(corrector):
    marked = join([Part("<x>", ""), Part("He have "), Part("<b>", ""), Part("two"), Part("</b>", ""), Part(" cat.")])
    assert corrected_text(open_document(corrector, marked)) == "<x>He has <b>two</b> cats."


def test_kinds_and_confidence(corrector):
    every = open_document(corrector, TEXT).check()
    kinds = {finding.edit.kind for finding in every}
    assert len(kinds) > 1
    for kind in kinds:
        assert {found.edit.kind for found in open_document(corrector, TEXT, kinds=frozenset({kind})).check()} == {kind}
        assert {
            found.edit.kind for found in open_document(corrector, TEXT, ignored_kinds=frozenset({kind})).check()
        } == kinds - {kind}
    assert [one.edit.source for one in open_document(corrector, TEXT, threshold=1.0).check()] == ["have", "I am agree"]
    assert {finding.rule for finding in every} == {rule_of(kind) for kind in kinds}
    assert rule_of(Kind.SPELLING) == "REDRAFT_SPELLING_RULE"


def test_changed_user_rules_apply_at_once(corrector, tmp_path):
    rules = UserRulesStore(tmp_path)
    document = open_document(corrector, TEXT, rules=rules)
    first = document.check()[0]
    assert first.edit.source == "go"
    sentence = next(iter(document.check_stepwise())).text
    rules.ignore_once(first.edit, sentence)
    assert "go" not in {edit.source for edit in edits(document)}
    rules.add_word("cat")
    assert "cat" not in {edit.source for edit in edits(document)}
    rules.remove_word("cat")
    assert "cat" in {edit.source for edit in edits(document)}


def test_a_newer_version_ends_an_older_check(corrector):
    document = open_document(corrector, f"{TEXT}\n\n" * 40)
    steps = document.check_stepwise()
    next(steps)
    document.replace(Span(0, 0), "So ")
    with pytest.raises(Stale):
        list(steps)


def test_a_check_is_given_up_when_told(corrector):
    with pytest.raises(Stale):
        open_document(corrector, TEXT).check(lambda: True)


def test_typing_and_checking_in_different_threads(corrector):
    document = open_document(corrector, TEXT * 3)
    failures: list[BaseException] = []

    def check() -> None:
        try:
            for _ in range(20):
                with suppress(Stale):
                    document.check()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=check) for _ in range(3)]
    for thread in threads:
        thread.start()
    for number in range(40):
        document.replace(Span(number, number), "x")
    for thread in threads:
        thread.join()
    assert failures == []
    assert document.check() == open_document(corrector, document.text).check()


def test_trace(corrector):
    document = open_document(corrector, TEXT)
    first, last = document.trace(2), document.trace(len(TEXT))
    assert first is not None
    assert first.source == "She go to school every days."
    assert last is not None
    assert last.source == "I am agree with you."
    assert open_document(corrector, "").trace(0) is None


def test_an_edit_beyond_the_end_is_refused(corrector):
    with pytest.raises(InputError, match="ends at 1"):
        open_document(corrector, "a").replace(Span(1, 2), "")


@pytest.mark.parametrize("format", FORMATS)
def test_an_empty_document(corrector, format):
    assert open_document(corrector, format=format).check() == ()


def test_the_spelling_of_most_words_may_change_with_the_text(corrector: Corrector) -> None:
    document = open_document(corrector, "A color.\n\nA gray harbour.", consistent=True)

    def respelled() -> list[str]:
        return [edit.replacement for edit in edits(document) if edit.kind is Kind.DIALECT]

    assert respelled() == ["harbor"]
    document.replace(Span(0, 8), "A colour")
    assert respelled() == ["grey"]


def test_titles_are_respelled_too(corrector: Corrector) -> None:
    document = open_document(corrector, "# A color\n", format="markdown", dialect=Dialect.BRITISH)
    assert [edit.replacement for edit in edits(document)] == ["colour"]
