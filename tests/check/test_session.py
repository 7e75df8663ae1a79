from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count, islice
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from redraft.check.loading import load
from redraft.check.session import Proofreader, Text, Vouched, cut
from redraft.check.user_rules import Personal
from redraft.edits.edit import Kind
from redraft.files.text_file import BROKEN
from redraft.model.folder import ModelFolder

WRONG, RIGHT = "She go to school every days.", "She goes to school every day."
PIECES = [b"She go ", b"He have two cat.", b"\xff", b"\xe9", b" ", b"\n", "é🙂".encode(), b"# ", b"`", b"* "]


@pytest.fixture(scope="module")
def proofreader(tiny_model: ModelFolder) -> Proofreader:
    return Proofreader(load(tiny_model.path, threads=1), Vouched())


def correct(proofreader: Proofreader, *texts: Text) -> list[str]:
    return [review.text for review in proofreader.review(texts)]


@given(st.lists(st.sampled_from(PIECES)))
@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_broken_bytes_all_come_back(proofreader: Proofreader, pieces: list[bytes]) -> None:
    text = b"".join(pieces).decode("utf-8", errors="surrogateescape")
    assert BROKEN.findall(*correct(proofreader, Text(text))) == BROKEN.findall(text)


@given(st.lists(st.lists(st.sampled_from(PIECES)).map(b"".join)), st.sampled_from(["plain", "markdown"]), st.booleans())
@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_text_among_others_is_reviewed_as_alone(
    proofreader: Proofreader, data: list[bytes], format: str, by_line: bool
) -> None:
    texts = [Text(source.decode("utf-8", "surrogateescape"), format, by_line) for source in data]
    together = list(proofreader.review(texts))
    alone = [next(proofreader.review([text])) for text in texts]
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
def test_a_text_in_stretches_is_reviewed_as_a_whole(
    proofreader: Proofreader, data: bytes, format: str, by_line: bool, least: int
) -> None:
    text = Text(data.decode("utf-8", "surrogateescape"), format, by_line)
    stretches = list(cut(text, least))
    assert all(len(stretch.text.source) >= least for stretch in stretches[:-1])
    found = []
    for stretch in stretches:
        assert text.source.startswith(stretch.text.source, stretch.start)
        (review,) = proofreader.review([stretch.text])
        found += [replace(edit, span=edit.span.shift(stretch.start)) for edit in review.edits]
    (whole,) = proofreader.review([text])
    assert tuple(found) == whole.edits


def test_lines_are_texts_of_their_own(proofreader: Proofreader) -> None:
    parts = ["He have\n", "two cat.\n", "\n", WRONG]
    assert correct(proofreader, Text("".join(parts), by_line=True)) == [
        "".join(correct(proofreader, *map(Text, parts)))
    ]
    assert correct(proofreader, Text(f"{WRONG}\n{WRONG}", by_line=True)) == [f"{RIGHT}\n{RIGHT}"]


def test_words_kinds_and_choices_are_respected(proofreader: Proofreader, tmp_path: Path) -> None:
    corrector = proofreader.corrector
    personal = Personal(tmp_path)
    personal.add_word("days")
    assert correct(Proofreader(corrector, Vouched(words=["go"])), Text(WRONG)) == ["She go to school every day."]
    assert correct(Proofreader(corrector, Vouched(personal)), Text(WRONG)) == ["She goes to school every days."]
    assert correct(Proofreader(corrector, Vouched(personal, ["go"])), Text(WRONG)) == [WRONG]
    agreement = frozenset({Kind.AGREEMENT})
    assert correct(Proofreader(corrector, Vouched(), agreement), Text(WRONG)) == ["She goes to school every days."]
    assert correct(Proofreader(corrector, Vouched(), None, agreement), Text(WRONG)) == ["She go to school every day."]


def test_choices_stay_the_same_object_until_they_change(tmp_path: Path) -> None:
    personal = Personal(tmp_path)
    vouched = Vouched(personal, ["one"])
    first = vouched.choices()
    assert vouched.choices() is first
    personal.add_word("two")
    assert vouched.choices().words.written == {"one", "two"}


def test_shares_add_up_to_one_for_each_text(proofreader: Proofreader) -> None:
    shares: list[float] = []
    texts = [Text(f"{WRONG} " * 40), Text(""), Text("\n\n"), Text(RIGHT)]
    assert len(list(proofreader.review(texts, shares.append))) == 4
    assert sum(shares) == pytest.approx(4)
    assert all(share >= 0 for share in shares)
    assert max(shares[:40]) < 0.1


def test_texts_are_taken_as_they_are_needed(proofreader: Proofreader) -> None:
    taken: list[int] = []

    def endless() -> Iterator[Text]:
        for number in count():
            taken.append(number)
            yield Text(f"{WRONG}\n" * 50)

    assert len(list(islice(proofreader.review(endless()), 5))) == 5
    assert len(taken) < 100
