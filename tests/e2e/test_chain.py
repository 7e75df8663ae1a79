"""From clean text to a corrector, through the installed command: what anyone would do for a language of their own."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import pytest
from english_folder import lay_out, pack

pytestmark = pytest.mark.e2e
pytest.importorskip("torch")
pytest.importorskip("lemminflect")

COMMAND = Path(sys.executable).parent / "redraft"
WORDS = (
    ["My sister", "The teacher", "Our neighbour", "The old man", "Her brother", "The cat"],
    ["goes to", "looks at", "walks past", "writes about", "likes", "lives near"],
    ["the school", "a small house", "the market", "an island", "the river"],
    ["every day.", "on Monday.", "in the morning.", "after work."],
)
SENTENCES = 600
TIMES_SPOILED = 10
ERRORS = {
    "The teacher go to the school every day.": "The teacher goes to the school every day.",
    "My sister lives near market on Monday.": "My sister lives near the market on Monday.",
    "Her brother walks past the river in morning.": "Her brother walks past the river in the morning.",
}
CONFIG = """
name = "own"
language = "en"
folder = "run"

[model]
preset = "tiny"

[data]
tokenizer = "tokenizer.json"
pack_tokens = 1024
max_length = 64
partitions = 2
workers = 1

[data.sources.made]
kind = "shards"
files = ["ids"]

[run]
device = "cpu"
precision = "fp32"
compile = "none"

[dev]
correct_sentences = 0

[[stages]]
name = "learn"
steps = 150
mix = { made = 1.0 }
learning_rate = 3e-3
warmup = 0.05
dropout = 0.0
label_smoothing = 0.0
changed_weight = 2.0
"""


@dataclass(frozen=True)
class Workshop:
    """A folder in which commands run."""

    folder: Path

    def redraft(self, *arguments: object, stdin: str = "") -> str:
        done = subprocess.run(
            [str(COMMAND), *map(str, arguments)],
            check=False,
            cwd=self.folder,
            # The matrices are too small to share: on a busy machine two threads take ten times as long as one.
            env=os.environ | {"OMP_NUM_THREADS": "1"},
            input=stdin,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def fix(self, sentences: list[str]) -> list[str]:
        output = self.redraft("fix", "--lines", "--model", "run/model", stdin="\n".join(sentences) + "\n")
        return output.splitlines()

    def lines(self, name: str) -> list[str]:
        return (self.folder / name).read_text(encoding="utf-8").splitlines()


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    """Where all commands but the last have been run."""
    folder = tmp_path_factory.mktemp("own")
    clean = random.Random(0).sample([" ".join(words) for words in product(*WORDS)], SENTENCES)
    (folder / "clean.txt").write_text("\n".join(clean) + "\n", encoding="utf-8")
    corpora = lay_out(folder / "corpora")
    for path in (corpora / "clean").iterdir():
        pack(path, clean)
    (folder / "train.toml").write_text(CONFIG, encoding="utf-8")
    made = Workshop(folder)
    made.redraft("error-table", "corpora", "--output", "errors.json.gz")
    # A sentence that comes again is spoiled in another way.
    text = ["clean.txt"] * TIMES_SPOILED
    rates = ("--clean", 0.3, "--tokenized", 0)
    made.redraft("synthesize", *text, "--error-table", "errors.json.gz", "--output", "made.tsv", *rates)
    made.redraft("tokenizer", "clean.txt", "made.tsv", "--output", "tokenizer.json", "--size", 500)
    made.redraft("prepare", "made.tsv", "--tokenizer", "tokenizer.json", "--output", "ids")
    made.redraft("train", "train.toml")
    made.redraft("export", "run/model")
    return made


def test_errors_it_was_trained_on_are_corrected(workshop: Workshop) -> None:
    pairs = [line.split("\t") for line in workshop.lines("made.tsv")]
    wrong = [pair for pair in pairs if pair[0] != pair[1]][:300]
    corrected = workshop.fix([source for source, _ in wrong])
    assert sum(output == target for output, (_, target) in zip(corrected, wrong, strict=True)) > 0.8 * len(wrong)
    assert workshop.fix(list(ERRORS)) == list(ERRORS.values())


def test_what_is_right_stays(workshop: Workshop) -> None:
    clean = workshop.lines("clean.txt")
    assert sum(a == b for a, b in zip(workshop.fix(clean), clean, strict=True)) > 0.95 * len(clean)


def test_the_model_teaches_another(workshop: Workshop) -> None:
    (workshop.folder / "wrong.txt").write_text("\n".join(ERRORS) + "\n", encoding="utf-8")
    workshop.redraft("distill", "run/model", "wrong.txt", "--output", "distilled.tsv")
    assert workshop.lines("distilled.tsv") == [f"{wrong}\t{right}" for wrong, right in ERRORS.items()]
