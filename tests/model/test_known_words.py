from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redraft.errors import ModelError
from redraft.model.known_words import KnownWords


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
