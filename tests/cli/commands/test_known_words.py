from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from redraft.errors import InputError, ModelError
from redraft.model.folder import WORDS, ModelFolder

Invoke = Callable[..., Result]


def test_a_model_gets_the_words_of_a_text(invoke: Invoke, tiny_model: ModelFolder, tmp_path: Path) -> None:
    folder, text, wrong = tmp_path / "model", tmp_path / "text.txt", tmp_path / "wrong.txt"
    shutil.copytree(tiny_model.path, folder)
    text.write_text("Two siblings recieve sausages.\n" * 5)
    wrong.write_text("recieve->receive\n")
    assert ModelFolder.open(folder).known_words is None
    done = invoke("known-words", folder, text, "--misspelt", wrong)
    assert "2 words in" in done.output
    known = ModelFolder.open(folder).known_words
    assert known is not None and "siblings" in known and "recieve" not in known


def test_words_of_a_dictionary_are_known_but_not_misspellings(
    invoke: Invoke, tiny_model: ModelFolder, tmp_path: Path
) -> None:
    folder, text, dictionary, wrong = (tmp_path / name for name in ("model", "text.txt", "dictionary", "wrong.txt"))
    shutil.copytree(tiny_model.path, folder)
    text.write_text("Two siblings eat.\n" * 5)
    dictionary.write_text("faze\nuseable\n")
    wrong.write_text("useable->usable\n")
    assert "2 words in" in invoke("known-words", folder, text, "--word-list", dictionary, "--misspelt", wrong).output
    known = ModelFolder.open(folder).known_words
    assert known is not None and "siblings" in known and "faze" in known and "useable" not in known


def test_a_damaged_file_of_words_is_refused(invoke: Invoke, tiny_model: ModelFolder, tmp_path: Path) -> None:
    folder, text = tmp_path / "model", tmp_path / "text.txt"
    shutil.copytree(tiny_model.path, folder)
    text.write_text("Two siblings receive sausages.\n" * 5)
    invoke("known-words", folder, text)
    (folder / WORDS).write_bytes(b"nothing")
    with pytest.raises(ModelError, match=r"words\.bloom is damaged"):
        ModelFolder.open(folder)


def test_under_a_source_list_text_and_model_must_be_allowed(
    invoke: Invoke, tiny_model: ModelFolder, tmp_path: Path
) -> None:
    folder, text = tmp_path / "model", tmp_path / "text.txt"
    shutil.copytree(tiny_model.path, folder)
    text.write_text("Two siblings receive sausages.\n" * 5)
    with pytest.raises(InputError, match="licence"):
        invoke("known-words", folder, text, "--source-list", "open")
    assert not (folder / WORDS).exists()
