from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from redraft.errors import ConfigError, InputError
from redraft.lab.data.readers import Faults
from redraft.lab.data.tokenizer_training import LEAST, Kind, train
from redraft.tokens.tokenizer import Tokenizer


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text.txt.gz"
    path.write_bytes(gzip.compress(("The harbour is quiet in winter.\n" * 5 + "\n").encode()))
    return path


def test_words_of_the_text_become_tokens(text: Path, tmp_path: Path) -> None:
    tokenizer = train([text], tmp_path / "deep" / "tokenizer.json", Faults(), size=LEAST + 60)
    assert len(tokenizer.encode("harbour")) == 1 < len(tokenizer.encode("lantern"))
    assert Tokenizer.load(tmp_path / "deep" / "tokenizer.json").encode("The harbour") == tokenizer.encode("The harbour")


def test_both_sides_of_pairs_are_read(text: Path, tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text("zzyzx zzyzx\tplugh plugh\n" * 3)
    tokenizer = train([text, pairs], tmp_path / "tokenizer.json", Faults(), size=LEAST + 100)
    assert len(tokenizer.encode("zzyzx plugh")) == 2


def test_characters_are_tokens_of_their_own(text: Path, tmp_path: Path) -> None:
    tokenizer = train([text], tmp_path / "tokenizer.json", Faults(), Kind.CHARACTERS, LEAST + 30)
    assert len(tokenizer.encode("quiet")) == 5


def test_no_text_and_too_few_tokens_are_refused(text: Path, tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text("\n")
    with pytest.raises(InputError, match="no text"):
        train([tmp_path / "empty.txt"], tmp_path / "tokenizer.json", Faults())
    with pytest.raises(ConfigError, match=f"more than {LEAST}"):
        train([text], tmp_path / "tokenizer.json", Faults(), size=LEAST)
    assert not (tmp_path / "tokenizer.json").exists()
