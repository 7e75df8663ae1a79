from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from redraft.corrector import Correction, load
from redraft.decode.trace import Trace
from redraft.edits.edit import Edit, apply
from redraft.interfaces.files import BROKEN
from redraft.interfaces.proofreader import Proofreader
from redraft.model.folder import ModelFolder
from redraft.text.span import Span


class Scripted:
    """A corrector that makes the edits it was told to."""

    def __init__(self, *edits: Edit) -> None:
        self.edits = edits

    def correct(self, text: str, dictionary: frozenset[str]) -> Correction:
        return Correction(text, apply(text, self.edits), self.edits, (), Trace(()))


def correct(text: str, *edits: Edit) -> str:
    corrector: Any = Scripted(*edits)
    return Proofreader(corrector).correct(text).text


def test_an_edit_of_a_broken_byte_is_left_out() -> None:
    text = "a caf\udce9 have"
    wrong = Edit(Span(2, 6), "caf\udce9", "café")
    right = Edit(Span(7, 11), "have", "has")
    assert correct(text, wrong, right) == "a caf\udce9 has"


def test_a_stand_in_never_gets_into_the_text() -> None:
    assert correct("\udcff he", Edit(Span(1, 1), "", "\ufffd")) == "\udcff he"


def test_a_stand_in_that_was_typed_may_stay() -> None:
    assert correct("\udcff \ufffdhe", Edit(Span(2, 5), "\ufffdhe", "\ufffdHe")) == "\udcff \ufffdHe"


@pytest.fixture(scope="module")
def proofreader(tiny_model: ModelFolder) -> Proofreader:
    return Proofreader(load(tiny_model.path, threads=1))


@given(st.lists(st.sampled_from([b"She go ", b"He have two cat.", b"\xff", b"\xe9", b" ", b"\n", "é🙂".encode()])))
@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_broken_bytes_all_come_back(proofreader: Proofreader, pieces: list[bytes]) -> None:
    text = b"".join(pieces).decode("utf-8", errors="surrogateescape")
    assert BROKEN.findall(proofreader.correct(text).text) == BROKEN.findall(text)
