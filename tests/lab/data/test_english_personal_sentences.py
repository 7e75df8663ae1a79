from __future__ import annotations

from pathlib import Path

import pytest

from redraft.lab.data.english_personal_sentences import choose_personal, is_personal
from redraft.lab.data.readers import Faults


@pytest.mark.parametrize(
    ("sentence", "personal"),
    [
        ("I like it.", True),
        ("This is for you.", True),
        ("It doesn't rain.", True),
        ("Was it there?", True),
        ('"Was it there?"', True),
        ("The Irish sea is cold.", False),
        ("The question (why?) remains.", False),
    ],
)
def test_first_and_second_person_contractions_and_questions_are_personal(sentence: str, personal: bool) -> None:
    assert is_personal("blogs.txt.xz", sentence) is personal
    assert not is_personal("scotus_1.txt.xz", sentence), "court opinions are impersonal"


def test_personal_sentences_of_files_are_chosen(tmp_path: Path) -> None:
    for name in ("blogs.txt", "letters.txt", "mdn.txt"):
        (tmp_path / name).write_text(f"I like {name}.\nIt rains.\nYou were held out.\n")
    paths = sorted(tmp_path.iterdir())
    chosen = list(choose_personal(paths, frozenset({"You were held out."}), Faults()))
    assert chosen == ["I like blogs.txt.", "I like letters.txt."]
