from __future__ import annotations

from pathlib import Path

import pytest
from training_world import make_world, write_config

from redraft.lab.data.pair import Pair
from redraft.lab.tagger.folder import TaggerFolder, quantize_tagger
from redraft.lab.tagger.training_run import train_tagger
from redraft.lab.tagger.vocabulary import TagVocabulary, learn_vocabulary
from redraft.lab.train.config import read


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Text, pairs in which "the" is misspelt "teh", and the tags of these and some other pairs."""
    folder = tmp_path_factory.mktemp("world")
    make_world(folder)
    lines = (folder / "pairs.tsv").read_text(encoding="utf-8").splitlines()
    pairs = [Pair(*line.split("\t")) for line in lines]
    others = [Pair("He go a school", "He goes to the school."), Pair("in the morning", "every day")]
    learn_vocabulary([*pairs, *others], 50).write(folder / "tags.json")
    return folder


@pytest.fixture(scope="session")
def vocabulary(world: Path) -> TagVocabulary:
    return TagVocabulary.read(world / "tags.json")


def write_tagger_config(world: Path, folder: Path) -> Path:
    """The config of the training tests with a table [tagger]."""
    path = write_config(world, folder)
    path.write_text(f'{path.read_text(encoding="utf-8")}\n[tagger]\ntags = "{world / "tags.json"}"\n', encoding="utf-8")
    return path


@pytest.fixture
def config_file(world: Path, tmp_path: Path) -> Path:
    return write_tagger_config(world, tmp_path)


@pytest.fixture(scope="session")
def trained(world: Path, tmp_path_factory: pytest.TempPathFactory) -> TaggerFolder:
    """A tagger of the smallest shape that has learnt to correct "teh"."""
    folder = tmp_path_factory.mktemp("trained")
    changes = ["stages.first.mix={pairs=1.0}", "stages.first.steps=120", "stages.second.steps=1", "data.workers=1"]
    changes += ["stages.first.final_weights=last", "stages.first.dropout=0.0", "stages.first.label_smoothing=0.0"]
    result = train_tagger(read(write_tagger_config(world, folder), changes))
    assert result.model is not None
    return TaggerFolder.open(result.model)


@pytest.fixture(scope="session")
def quantized(trained: TaggerFolder, tmp_path_factory: pytest.TempPathFactory) -> TaggerFolder:
    """The same with an encoder in 8-bit integers."""
    return quantize_tagger(trained, tmp_path_factory.mktemp("quantized") / "tagger")
