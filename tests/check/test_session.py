from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count, islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from redraft.check.loading import load
from redraft.check.options import CheckOptions
from redraft.check.session import CheckSession, Text, cut
from redraft.check.user_rules import UserRulesStore
from redraft.edits.edit import Kind
from redraft.files.text_file import BROKEN
from redraft.model.folder import ModelFolder

WRONG, RIGHT = "She go to school every days.", "She goes to school every day."
PIECES = [b"She go ", b"He have two cat.", b"\xff", b"\xe9", b" ", b"\n", "é🙂".encode(), b"# ", b"`", b"* "]


@pytest.fixture(scope="module")
def session(tiny_model: ModelFolder) -> CheckSession:
    return CheckSession(load(tiny_model.path, threads=1))


def correct(session: CheckSession, *texts: Text) -> list[str]:
    return [result.text for result in session.check_many(texts)]


@given(st.lists(st.sampled_from(PIECES)))
@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_broken_bytes_all_come_back(session: CheckSession, pieces: list[bytes]) -> None:
    text = b"".join(pieces).decode("utf-8", errors="surrogateescape")
    (corrected,) = correct(session, Text(text))
    assert BROKEN.findall(corrected) == BROKEN.findall(text)


@given(st.lists(st.lists(st.sampled_from(PIECES)).map(b"".join)), st.sampled_from(["plain", "markdown"]), st.booleans())
@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_text_among_others_is_reviewed_as_alone(
    session: CheckSession, data: list[bytes], format: str, by_line: bool
) -> None:
    texts = [Text(source.decode("utf-8", "surrogateescape"), format, by_line) for source in data]
    together = list(session.check_many(texts))
    alone = [next(session.check_many([text])) for text in texts]
    assert [(review.source, review.findings) for review in together] == [
        (review.source, review.findings) for review in alone
    ]


@given(
    st.lists(st.sampled_from([*PIECES, b"\n\n", b"```\n"])).map(b"".join),
    st.sampled_from(["plain", "markdown", "html"]),
    st.booleans(),
    st.integers(0, 40),
)
@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_text_in_sections_is_reviewed_as_a_whole(
    session: CheckSession, data: bytes, format: str, by_line: bool, least: int
) -> None:
    text = Text(data.decode("utf-8", "surrogateescape"), format, by_line)
    sections = list(cut(text, least))
    assert all(len(section.text.source) >= least for section in sections[:-1])
    found = []
    for section in sections:
        assert text.source.startswith(section.text.source, section.start)
        (result,) = session.check_many([section.text])
        found += [replace(edit, span=edit.span.shift(section.start)) for edit in result.edits]
    (whole,) = session.check_many([text])
    assert tuple(found) == whole.edits


def test_lines_are_texts_of_their_own(session: CheckSession) -> None:
    parts = ["He have\n", "two cat.\n", "\n", WRONG]
    assert correct(session, Text("".join(parts), by_line=True)) == ["".join(correct(session, *map(Text, parts)))]
    assert correct(session, Text(f"{WRONG}\n{WRONG}", by_line=True)) == [f"{RIGHT}\n{RIGHT}"]


def test_words_kinds_and_user_rules_are_respected(session: CheckSession, tmp_path: Path) -> None:
    def corrected(**options: Any) -> list[str]:
        return correct(CheckSession(session.corrector, CheckOptions(**options)), Text(WRONG))

    rules = UserRulesStore(tmp_path)
    rules.add_word("days")
    go, agreement = frozenset({"go"}), frozenset({Kind.AGREEMENT})
    assert corrected(dictionary=go) == ["She go to school every day."]
    assert corrected(rules=rules) == ["She goes to school every days."]
    assert corrected(rules=rules, dictionary=go) == [WRONG]
    assert corrected(kinds=agreement) == ["She goes to school every days."]
    assert corrected(ignored_kinds=agreement) == ["She go to school every day."]


def test_changed_rules_apply_together_with_the_dictionary(session: CheckSession, tmp_path: Path) -> None:
    rules = UserRulesStore(tmp_path)
    document = CheckSession(session.corrector, CheckOptions(dictionary=frozenset({"go"}), rules=rules)).open(WRONG)
    first = document._current_rules()
    assert document._current_rules() is first
    assert [finding.edit.source for finding in document.check()] == ["days"]
    rules.add_word("days")
    assert document.check() == ()
    assert document._current_rules().words.written == {"go", "days"}


def test_shares_add_up_to_one_for_each_text(session: CheckSession) -> None:
    shares: list[float] = []
    texts = [Text(f"{WRONG} " * 40), Text(""), Text("\n\n"), Text(RIGHT)]
    assert len(list(session.check_many(texts, shares.append))) == 4
    assert sum(shares) == pytest.approx(4)
    assert all(share >= 0 for share in shares)
    assert max(shares[:40]) < 0.1


def test_texts_are_taken_as_they_are_needed(session: CheckSession) -> None:
    taken: list[int] = []

    def endless() -> Iterator[Text]:
        for number in count():
            taken.append(number)
            yield Text(f"{WRONG}\n" * 50)

    assert len(list(islice(session.check_many(endless()), 5))) == 5
    assert len(taken) < 100


def test_each_text_has_a_spelling_of_its_own(session: CheckSession) -> None:
    consistent = CheckSession(session.corrector, CheckOptions(consistent=True, threshold=1))
    texts = [Text("A color and a harbour, a flavor."), Text("A colour and a harbour, a flavor.")]
    replaced = [
        [edit.replacement for edit in result.edits if edit.kind is Kind.DIALECT]
        for result in consistent.check_many(texts)
    ]
    assert replaced == [["harbor"], ["flavour"]]
