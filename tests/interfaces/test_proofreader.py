from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from redraft.corrector import load
from redraft.interfaces.files import BROKEN
from redraft.interfaces.proofreader import Proofreader
from redraft.model.folder import ModelFolder


@pytest.fixture(scope="module")
def proofreader(tiny_model: ModelFolder) -> Proofreader:
    return Proofreader(load(tiny_model.path, threads=1))


@given(st.lists(st.sampled_from([b"She go ", b"He have two cat.", b"\xff", b"\xe9", b" ", b"\n", "é🙂".encode()])))
@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_broken_bytes_all_come_back(proofreader: Proofreader, pieces: list[bytes]) -> None:
    text = b"".join(pieces).decode("utf-8", errors="surrogateescape")
    assert BROKEN.findall(proofreader.correct(text).text) == BROKEN.findall(text)


def test_the_dictionary_holds_for_one_text_and_for_many(proofreader: Proofreader) -> None:
    careful = Proofreader(proofreader.corrector, frozenset({"go"}))
    assert proofreader.correct("She go to school every days.").text == "She goes to school every day."
    assert careful.correct("She go to school every days.").text == "She go to school every day."
    assert [result.text for result in careful.pipe(["She go to school every days."])] == ["She go to school every day."]
