"""A hostile model folder gives one line of error, quickly, and nothing else."""

from __future__ import annotations

import re
import shutil
import time
from pathlib import Path
from typing import get_args, get_type_hints

import hostile
import pytest

from redraft import load
from redraft.errors import ModelError
from redraft.model.config import ModelConfig
from redraft.model.folder import LONGEST_HEADER, MOST_BYTES, TOKENIZER
from redraft.settings_reader import Range
from redraft.tokens import tokenizer_file

MOST_SECONDS = 1.0
"""Of processor time, which does not depend on how busy the machine is."""


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = hostile.write_good_folder(tmp_path_factory.mktemp("hostile") / "good")
    load(folder)  # imports what a model needs, so that no case is charged for it
    return folder


def test_the_folder_without_a_fault_is_used(run, good):
    outcome = run("check", "-", "--isolated", "--model", good, stdin=b"We meet on monday.")
    assert outcome.code in (0, 1), outcome.err
    # Its weights are random, so its output is seldom a sentence; the folder itself is not complained about.
    assert outcome.err == "" or "the model wrote no usable sentence" in outcome.err


def test_there_are_many_cases():
    assert len(hostile.CASES) >= 60


@pytest.mark.parametrize("name", hostile.CASES)
def test_a_hostile_folder_gives_one_line(run, good, tmp_path, name):
    folder = shutil.copytree(good, tmp_path / "model")
    hostile.CASES[name](folder)
    start = time.process_time()
    outcome = run("check", "-", "--isolated", "--model", folder, stdin=b"We meet on monday.")
    assert time.process_time() - start < MOST_SECONDS
    assert outcome.code == 2, outcome.text
    assert outcome.out == b""
    assert len(outcome.err.splitlines()) == 1
    assert outcome.err.removesuffix("\n").isprintable()
    assert len(outcome.err) < 1000
    assert "not enough memory" not in outcome.err


@pytest.mark.parametrize("name", ["config max_tokens = '9223372036854775808'", "tokenizer with a normalizer"])
def test_the_library_raises_a_model_error(good, tmp_path, name):
    folder = shutil.copytree(good, tmp_path / "model")
    hostile.CASES[name](folder)
    with pytest.raises(ModelError, match="model"):
        load(folder)


SECURITY = Path(__file__).parents[2] / "SECURITY.md"


@pytest.mark.skipif(not SECURITY.exists(), reason="SECURITY.md is not beside the tests")
def test_the_documented_limits_are_those_of_the_code():
    text = SECURITY.read_text(encoding="utf-8").replace(",", "")
    rows = re.findall(r"^\| `(\w+)` \| (\d+) \| (\d+) \|$", text, re.MULTILINE)
    limits = {
        name: (rule.min, rule.max)
        for name, hint in get_type_hints(ModelConfig, include_extras=True).items()
        for rule in get_args(hint)
        if isinstance(rule, Range)
    }
    assert {name: (int(least), int(most)) for name, least, most in rows} == limits
    assert {f"{most} bytes" for most in MOST_BYTES.values()} <= set(re.findall(r"\d+ bytes", text))
    assert f"header {LONGEST_HEADER}" in text


def test_both_readers_of_a_tokenizer_have_the_same_limit():
    assert MOST_BYTES[TOKENIZER] == tokenizer_file.MOST_BYTES
