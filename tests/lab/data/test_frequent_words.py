from __future__ import annotations

from pathlib import Path

import pytest

from redraft.errors import InputError
from redraft.lab.data.frequent_words import find_frequent_words, read_misspelt, read_word_list
from redraft.lab.data.readers import Faults


def test_words_that_text_has_often_are_found(tmp_path: Path) -> None:
    text, other = tmp_path / "text.txt", tmp_path / "other.txt"
    text.write_text("The siblings receive letters.\n" * 4 + "We recieve sausages.\n" * 5 + "Berlin is far.\n" * 12)
    other.write_text("Siblings receive siblings.\n" + "In Berlin it rains.\n" * 8)
    calls: list[int] = []
    found = find_frequent_words([text, other], Faults(), lambda: calls.append(1))
    assert found == {"letters", "siblings", "receive", "recieve", "sausages", "berlin", "rains"}
    assert len(calls) == 2


def test_a_rare_word_is_known_unless_a_frequent_word_is_near(tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    rare = "It was acurate.\n" * 2 + "Poultices help.\n" + "No poultices here.\n" * 2
    text.write_text("It was accurate.\n" * 80 + rare)
    found = find_frequent_words([text], Faults())
    assert found == {"accurate", "poultices", "here"}
    text.write_text("It was accurate.\n" * 79 + "It was acurate.\n" * 2)
    assert find_frequent_words([text], Faults()) == {"accurate", "acurate"}


def test_text_without_frequent_words_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("Every word once.\n")
    with pytest.raises(InputError, match="use more text"):
        find_frequent_words([tmp_path / "text.txt"], Faults())


def test_lists_of_misspellings_have_an_arrow_or_a_tab(tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text("recieve->receive\nteh->the, ten,\nSeperate\tseparate\n")
    assert list(read_misspelt(tmp_path / "list.txt", Faults())) == ["recieve", "teh", "seperate"]


def test_a_dictionary_has_a_word_a_line(tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text("faze\nfaze's\nBerlin\nNATO\nox\nadvisees\nnaïve\n", encoding="utf-8")
    assert list(read_word_list(tmp_path / "list.txt", Faults())) == ["faze", "advisees", "naïve"]
