from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redraft.edits.letter_distance import letter_distance
from redraft.errors import ModelError
from redraft.model.known_words import LONGEST_WORD, KnownWords


@given(st.sets(st.text(min_size=1), max_size=50))
def test_every_word_that_was_put_in_is_known(words: set[str]) -> None:
    known = KnownWords.build(words)
    assert all(word in known for word in words)


def test_few_other_words_are_known() -> None:
    known = KnownWords.build({f"word{number}" for number in range(5_000)})
    wrong = sum(f"other{number}" in known for number in range(20_000))
    assert 0 < wrong < 60, "about one in a thousand"


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    KnownWords.build({"seine", "siblings"}).write(tmp_path / "words.bloom")
    known = KnownWords.read(tmp_path / "words.bloom")
    assert "seine" in known and "siblings" in known and "sibblings" not in known


@pytest.mark.parametrize(
    "data",
    [b"", b"redraftW", b"redraftX" + bytes([10]) + bytes(20), b"redraftW" + bytes(30), b"redraftW\xff" + bytes(30)],
)
def test_another_file_is_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "words.bloom").write_bytes(data)
    with pytest.raises(ModelError, match="is not a file of known words"):
        KnownWords.read(tmp_path / "words.bloom")


@pytest.mark.parametrize(
    ("word", "near"),
    [
        ("weckend", {"weekend"}),
        ("weekendd", {"weekend", "weekends"}),
        ("farbic", {"fabric"}),
        ("telephon", {"telephone"}),
        ("weekend", {"weekends"}),
    ],
)
def test_near_words_differ_in_one_letter(word: str, near: set[str]) -> None:
    words = {"weekend", "weekends", "weakened", "week", "fabric", "telephone"}
    # Other words make the filter as sparse as a real one; of the strings that are looked up it has one in a thousand.
    found = set(KnownWords.build(words | {f"word{number}" for number in range(5_000)}).near(word))
    assert found & words == near
    assert len(found - words) < 5


@given(st.text("abc", min_size=4, max_size=8), st.sets(st.text("abc", min_size=3, max_size=9), min_size=1, max_size=40))
def test_all_near_words_are_found(word: str, words: set[str]) -> None:
    found = KnownWords.build(words).near(word)
    assert {other for other in words if letter_distance(word, other) == 1} <= set(found)
    assert all(letter_distance(word, other) == 1 for other in found)


@pytest.mark.parametrize("word", ["naïv", "Weckend", "week-end", "a" * (LONGEST_WORD + 1)])
def test_other_letters_and_long_strings_have_no_near_words(word: str) -> None:
    assert KnownWords.build({"naive", "weekend", "a" * LONGEST_WORD}).near(word) == []
