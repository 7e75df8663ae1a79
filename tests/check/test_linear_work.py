"""Four times the text takes at most five times the work, for every kind of character and markup."""

from __future__ import annotations

import pytest
from counted_work import count_work
from rewriting import corrector_that

from redraft.check.corrector import Corrector
from redraft.check.interpreter import Solution
from redraft.check.options import CheckOptions
from redraft.check.session import CheckSession
from redraft.check.solver import SentenceSolver
from redraft.check.stale import Stale
from redraft.decode.trace import SentenceTrace
from redraft.text.markup import Marked

LENGTH = 200
PROSE = "She go to school, and he stay at home. "
CHARACTERS = {
    "thai": "ภาษาไทย",
    "replacement character": "\ufffd",
    "joiner": "a\u200d",
    "chinese": "中文",
    "kana": "かな、",
    "emoji": "😀",
    "emoji and letter": "😀a",
    "combining mark": "e\u0301",
    "marks alone": "\u0301",
    "hebrew": "של",
    "surrogate": "\ud800",
    "control": "\x00",
    "one word": "a",
    "capitals": "AB ",
    "words": "word ",
    "numbers": "1-",
    "full stops": ".",
    "initials": "A. ",
    "blanks": " ",
    "lines": "a\n",
    "line ends": "\n",
    "line separators": "a\u2028",
    "sentences": PROSE,
}
MARKUP = {
    "brackets": "[",
    "closing brackets": "a]",
    "links": "[a](",
    "backticks": "`a ",
    "fences": "```\n",
    "asterisks": "*a",
    "bullets": "- ",
    "less-than": "<",
    "tags": "<b>a ",
    "comments": "<!-- a ",
    "ampersand": "&",
    "underscores": "_a",
    "double quotes": '"a ',
    "escaped quotes": '\\"',
    "apostrophes": "'a ",
    "dollars": "$a ",
    "formulas": "\\(",
    "commands": "\\a{b",
    "comment signs": "# // -- a\n",
    "block comments": "/* a */\n",
    "cells": "|a|\n|-|\n",
    "quotes": "> a\n",
    "colons": "a: A, b. ",
}


def corrector() -> Corrector:
    """Cuts texts into pieces of up to 20 tokens, and finds nothing in them."""
    made = corrector_that(lambda sentence: sentence, max_tokens=30)
    trace = SentenceTrace("", "", "none", (), 0, 0)
    return made.with_solve(lambda requests, is_stale: {request: Solution((), trace) for request in requests})


CORRECTOR = corrector()


def grows_linearly(unit: str, format: str, length: int = LENGTH) -> bool:
    options = CheckOptions(format=format, dictionary=frozenset({"redraft"}), consistent=True)

    def work(length: int) -> int:
        text = (unit * length)[:length] + "\n"
        return count_work(lambda: CheckSession(CORRECTOR, options).check(text, step=64))

    work(length)  # loads what is loaded when it is first needed, some of it only for a text this long
    return work(4 * length) <= 5 * work(length)


@pytest.mark.parametrize("unit", CHARACTERS.values(), ids=CHARACTERS)
def test_work_grows_with_the_text_for_all_characters(unit: str) -> None:
    assert grows_linearly(unit, "plain")


@pytest.mark.parametrize("format", ["plain", "markdown", "html", "latex", "python", "shell"])
@pytest.mark.parametrize("unit", MARKUP.values(), ids=MARKUP)
def test_work_grows_with_the_text_for_all_markup(unit: str, format: str) -> None:
    assert grows_linearly(unit, format)


def test_work_grows_with_the_text_for_docstrings_in_one_line() -> None:
    assert grows_linearly('"""a"""', "python", 1000)


def test_work_grows_with_the_edits_of_a_list_item() -> None:
    session = CheckSession(
        corrector_that(lambda sentence: sentence.replace("cat sat", "cat sits")), CheckOptions(format="markdown")
    )

    def work(count: int) -> int:
        text = "- " + "Here the cat sat on the mat. " * count
        assert len(session.check(text).findings) == count
        return count_work(lambda: session.check(text))

    assert work(400) <= 5 * work(100)


def test_the_counter_sees_what_is_read_again_and_again() -> None:
    def again(text: str) -> None:
        for end in range(len(text)):
            text[:end].rstrip()

    assert count_work(lambda: again("a" * 400)) > 10 * count_work(lambda: again("a" * 100))


def test_cutting_stops_when_the_caller_has_left(monkeypatch: pytest.MonkeyPatch) -> None:
    read = 0
    fits = SentenceSolver.fits

    def count(solver: SentenceSolver, text: str) -> bool:
        nonlocal read
        read += len(text)
        return fits(solver, text)

    monkeypatch.setattr(SentenceSolver, "fits", count)
    session = CheckSession(CORRECTOR)
    text = "ก" * 20_000
    with pytest.raises(Stale):
        session.check(text, is_stale=lambda: True)
    assert read == 0
    with pytest.raises(Stale):
        session.check(text, is_stale=lambda: read > len(text))  # the first look at the sentence reads it once
    assert read < 1.1 * len(text)
    with pytest.raises(Stale):
        CORRECTOR.cut(text, is_stale=lambda: True)


def test_a_check_of_a_caller_that_has_left_does_not_read_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(source: str, format: str) -> Marked:
        raise AssertionError("the text was read")

    monkeypatch.setattr("redraft.check.document.read", refuse)
    with pytest.raises(Stale):
        CheckSession(CORRECTOR).check("a", is_stale=lambda: True)
