from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import foreign
import pytest

import redraft
from redraft.model.folder import TOKENIZER, WEIGHTS, ModelFolder
from redraft.tokens.tokenizer import Tokenizer

Run = Callable[..., Any]


@pytest.fixture
def bart(tmp_path: Path) -> Path:
    folder = tmp_path / "bart-random"
    inner = foreign.write_bart_tokenizer(folder)
    foreign.make_bart(inner.get_vocab_size()).save_pretrained(folder)
    return folder


def test_a_bart_folder_becomes_a_model_that_runs(run: Run, bart: Path, tmp_path: Path) -> None:
    target = tmp_path / "small"
    outcome = run("adopt", bart, target, "--decoder-layers", 2, "--licence", "Apache 2.0")
    assert outcome.code == 0
    assert "BART, encoder with all 4 layers, decoder with layers 0, 1 of 3" in outcome.err
    folder = ModelFolder.open(target)
    assert (folder.config.encoder_layers, folder.config.decoder_layers) == (4, 2)
    assert (folder.info.name, folder.info.language, folder.info.licence) == ("small", "en", "Apache 2.0")
    assert "bart-random" in folder.card.read_text(encoding="utf-8")
    assert Tokenizer.load(folder.tokenizer).size == folder.config.vocabulary
    assert run("export", target).code == 0
    fixed = [redraft.load(target, draft=draft).correct("the cat").text for draft in ("none", "refine")]
    assert fixed[0] == fixed[1]


def test_layers_are_chosen_by_number_rule_or_list(run: Run, bart: Path, tmp_path: Path) -> None:
    spread = run("adopt", bart, tmp_path / "spread", "--encoder-layers", 2, "--keep", "spread", "--name", "two")
    assert "encoder with layers 0, 3 of 4" in spread.err
    assert ModelFolder.open(tmp_path / "spread").info.name == "two"
    named = run("adopt", bart, tmp_path / "named", "--encoder-layers", "1,2", "--decoder-layers", "2,", "--no-lead")
    assert "encoder with layers 1, 2 of 4, decoder with layers 2 of 3" in named.err
    lead, bare = (Tokenizer.load(tmp_path / name / TOKENIZER).encode("cat") for name in ("spread", "named"))
    assert lead[1:] == bare


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--decoder-layers", "some"], "--decoder-layers must be a number or a list"),
        (["--decoder-layers", "4"], "cannot keep 4 layers of 3"),
        (["--encoder-layers", "0,9"], "numbers from 0 to 3"),
        (["--keep", "last"], "first or spread"),
    ],
)
def test_layers_that_cannot_be_kept_are_refused(
    run: Run, bart: Path, tmp_path: Path, arguments: list[str], message: str
) -> None:
    outcome = run("adopt", bart, tmp_path / "target", *arguments)
    assert outcome.code == 2
    assert message in outcome.err
    assert not (tmp_path / "target").exists()


def test_with_an_unsupported_tokenizer_the_weights_are_written_alone(run: Run, tmp_path: Path) -> None:
    foreign.make_marian().save_pretrained(tmp_path / "marian")
    (tmp_path / "marian" / "source.spm").write_bytes(b"")
    outcome = run("adopt", tmp_path / "marian", tmp_path / "target")
    assert outcome.code == 2
    assert outcome.err.count("\n") == 1
    assert "has its weights, but no tokenizer.json" in outcome.err
    assert (tmp_path / "target" / WEIGHTS).is_file()
    assert "not a complete model folder" in run("export", tmp_path / "target").err


def test_a_source_that_does_not_exist_is_refused(run: Run, tmp_path: Path) -> None:
    outcome = run("adopt", tmp_path / "nowhere", tmp_path / "target")
    assert outcome.code == 2
    assert "no such file or folder" in outcome.err
