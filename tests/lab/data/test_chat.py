from __future__ import annotations

import random

import pytest

from redraft.lab.data.chat import write_as_chat

SENTENCE = "I don't think Anna's coming, because she's ill."


def write_all(text: str) -> set[str]:
    draw = random.Random(0).random
    return {write_as_chat(text, draw) for _ in range(300)}


def test_habits_are_dropped_together() -> None:
    written = write_all(SENTENCE)
    assert "i dont think annas coming, because shes ill" in written
    assert "I dont think Annas coming, because shes ill." in written
    assert SENTENCE not in written


@pytest.mark.parametrize("text", sorted(write_all(SENTENCE)))
def test_a_habit_holds_for_the_whole_sentence(text: str) -> None:
    assert text.count("'") in {0, 3}
    assert text.islower() or text.startswith("I dont think Annas")


def test_a_capital_keeps_the_full_stop() -> None:
    assert all(text.endswith(".") for text in write_all("Read the manual.") if text[0].isupper())


def test_tokenized_text_stays_tokenized() -> None:
    assert "i dont know , do you" in write_all("I do n't know , do you ?")
