"""Files for tests of training: a tokenizer, an error table, some text, shards and a config that names them."""

from __future__ import annotations

import random
from pathlib import Path

from redraft.lab.data.pair import Pair
from redraft.lab.data.shards import pack
from redraft.lab.data.table import Candidate, ErrorTable, Family
from redraft.tokens.tokenizer import Tokenizer

_SUBJECTS = ["The cat", "My sister", "A teacher", "Our neighbour", "The old man", "Nobody", "The dog next door"]
_VERBS = ["goes to", "looks at", "walks past", "thinks of", "writes about", "likes"]
_PLACES = ["the school", "a house", "the market", "an island", "the sea", "the river"]
_TIMES = ["every day.", "on Monday.", "in the morning.", "at 7 o'clock.", "in 1984.", "now and then."]


def sentences(count: int, seed: int = 0) -> list[str]:
    draw = random.Random(seed)
    return [" ".join(map(draw.choice, (_SUBJECTS, _VERBS, _PLACES, _TIMES))) for _ in range(count)]


def make_world(folder: Path) -> None:
    clean = sentences(200)
    Tokenizer.train_bytes(clean, 400).save(folder / "tokenizer.json")
    table = ErrorTable(
        "en",
        candidates={
            "the": [Candidate("a", Family.ARTICLE, 20_000.0)],
            "goes": [Candidate("go", Family.AGREEMENT, 50_000.0)],
        },
        density={"article": 0.05, "agreement": 0.02},
    )
    table.save(folder / "errors.json.gz")
    (folder / "clean.txt").write_text("\n".join(clean) + "\n", encoding="utf-8")
    pairs = [Pair(line.replace("the", "teh"), line) for line in sentences(80, seed=1)]
    lines = [f"{pair.source}\t{pair.target}\n" for pair in pairs]
    (folder / "pairs.tsv").write_text("".join(lines), encoding="utf-8")
    pack(folder / "ids", pairs, folder / "tokenizer.json")


_CONFIG = """
name = "tiny"
language = "en"
folder = "run"

[model]
preset = "tiny"
max_tokens = 63

[data]
tokenizer = "tokenizer.json"
error_table = "errors.json.gz"
pack_tokens = 128
max_length = 64
partitions = 4
workers = 2

[data.sources.clean]
kind = "clean"
files = ["clean.txt"]

[data.sources.pairs]
kind = "pairs"
files = ["pairs.tsv"]

[data.sources.packed]
kind = "shards"
files = ["ids"]

[run]
device = "cpu"
precision = "fp32"
compile = "none"
log_steps = 2
checkpoint_minutes = 60

[dev]
correct_sentences = 2

[[stages]]
name = "first"
steps = 6
mix = { clean = 0.6, pairs = 0.2, packed = 0.2 }
learning_rate = 0.003
warmup = 0.2
dropout = 0.1
changed_weight = 2.0
ema = 0.9
batches = [{ packs = 1, until = 0.5 }, { packs = 2 }]
final_weights = "ema"

[[stages]]
name = "second"
steps = 4
mix = { pairs = 1.0 }
learning_rate = 0.001
accumulate = 2
"""


def write_config(world: Path, folder: Path) -> Path:
    """Writes the config; the run's folder is in `folder`."""
    text = _CONFIG
    for name in ("tokenizer.json", "errors.json.gz", "clean.txt", "pairs.tsv", "ids"):
        text = text.replace(f'"{name}"', f'"{world / name}"')
    path = folder / "config.toml"
    path.write_text(text.replace('"run"', f'"{folder / "run"}"'), encoding="utf-8")
    return path
