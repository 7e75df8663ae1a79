"""Every shipped config can be read, and trains with a tiny model and little data."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import fields, replace
from pathlib import Path

import pytest

from redraft.errors import InputError
from redraft.lab.data import english_open
from redraft.lab.data.pair import Pair
from redraft.lab.data.source_list import OPEN, SourceList, read_source_list
from redraft.lab.tagger.training_run import train_tagger
from redraft.lab.tagger.vocabulary import learn_vocabulary
from redraft.lab.train.config import (
    BatchConfig,
    DataConfig,
    DevConfig,
    RunConfig,
    SourceConfig,
    StageConfig,
    TaggerConfig,
    TrainConfig,
    VariantConfig,
    read,
    trained_configs,
)
from redraft.lab.train.training_run import train
from redraft.model.config import PRESETS
from redraft.model.folder import ModelFolder

CONFIGS = Path(__file__).parents[3] / "configs"
FILES = sorted(CONFIGS.rglob("*.toml"))
WORLD = {"pairs": "pairs.tsv", "shards": "ids"}
"""Test files for kinds of sources; all other kinds read plain text."""
SMALL = (
    "start=''",
    "model.preset=tiny",
    "model.max_tokens=63",
    "data.pack_tokens=64",
    "data.max_length=32",
    "data.partitions=1",
    "data.workers=1",
    "data.exclude=[]",
    "data.source_list=''",
    "run.device=cpu",
    "run.precision=fp32",
    "run.compile=none",
    "run.keep_weights=1",
    "run.checkpoint_steps=1",
    "dev.m2=[]",
    "dev.correct_sentences=1",
)

SHORT = ("minutes=0", "decay_minutes=0", "steps=2", "accumulate=1")


def shrink(config: TrainConfig, world: Path, folder: Path) -> list[str]:
    changes = [*SMALL, f"folder={folder}", f"data.tokenizer={world / 'tokenizer.json'}"]
    changes += [f"data.error_table={world / 'errors.json.gz'}"] if config.data.error_table else []
    if config.tagger:
        learn_vocabulary([Pair("teh cat", "the cat")], 10).write(folder / "tags.json")
        changes += [f"tagger.tags={folder / 'tags.json'}", "tagger.layer="]
    for name, source in config.data.sources.items():
        changes.append(f"data.sources.{name}.files=['{world / WORLD.get(source.kind, 'clean.txt')}']")
    for stage in config.stages:
        changes += [f"stages.{stage.name}.{change}" for change in SHORT]
        changes.append(f"stages.{stage.name}.batches=[{{packs=1}}]")
    for variant in config.variants[-1:]:  # one is enough, because each takes a process
        changes.append(f"variants=[{{name='{variant.name}', set={json.dumps(variant.set)}}}]")
    return changes


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(CONFIGS)))
def test_a_shipped_config_trains_with_a_tiny_model(path: Path, world: Path, tmp_path: Path) -> None:
    config = read(path)
    assert config.start or config.model["preset"] in PRESETS
    run = train_tagger if config.tagger else train
    assert run(read(path, shrink(config, world, tmp_path))).finished


OPEN_LICENCE = "CC BY-SA 4.0"
OPEN_CONFIGS = [path for path in FILES if read(path).licence == OPEN_LICENCE]
MADE_BY_A_MODEL = {"pairs_agreed.tsv.xz", "pairs_written.tsv"}
"""Files that `prepare --agrees-with` and `synthesize --model` write with `--source-list open`."""


def test_there_is_a_config_for_a_model_that_anyone_may_use() -> None:
    assert {path.name for path in OPEN_CONFIGS} == {path.name for path in CONFIGS.glob("en-open*.toml")} != set()


@pytest.mark.parametrize("path", OPEN_CONFIGS, ids=lambda path: path.name)
def test_an_open_config_names_open_sources_alone(path: Path) -> None:
    config = read(path)
    assert config.data.source_list == OPEN
    folders = {read(other).folder for other in OPEN_CONFIGS if other != path}
    if config.start and not any(config.start.startswith(f"{folder}/") for folder in folders):
        # The weights bring their sources with them.
        assert ModelFolder.open(CONFIGS.parent / config.start).info.licence == OPEN_LICENCE
    allowed = read_source_list(OPEN)
    made = {Path(name).name for name in english_open.FILES} | MADE_BY_A_MODEL
    for source in config.data.sources.values():
        names = [Path(pattern).name for pattern in source.files]
        assert not [name for name in names if name not in made and not is_allowed(name, allowed)]


def is_allowed(pattern: str, allowed: SourceList) -> bool:
    """Whether a pattern can only match files that the list allows: it is the start of a pattern of the list."""
    start = pattern.removesuffix("*")
    return "*" not in start and any(
        listed.startswith(start) and not allowed.sources[name].by_repository
        for name, source in allowed.sources.items()
        for listed in source.files
    )


@pytest.mark.parametrize("path", OPEN_CONFIGS, ids=lambda path: path.name)
def test_every_clean_file_of_an_open_config_is_allowed(path: Path, shared_data: Path) -> None:
    allowed = read_source_list(OPEN)
    for source in read(path).data.sources.values():
        for pattern in source.files:
            if pattern.startswith("corpora/en/"):
                files = list((shared_data / "en").glob(pattern.removeprefix("corpora/en/")))
                assert files and not [file.name for file in files if allowed.find(file) is None]


@pytest.mark.parametrize("path", OPEN_CONFIGS, ids=lambda path: path.name)
def test_the_weights_of_an_open_config_are_not_chosen_on_dev(path: Path) -> None:
    for config in trained_configs(read(path)):
        assert not [stage for stage in config.stages if stage.final_weights == "best" or stage.patience]


@pytest.mark.parametrize("name", ["wi_all.tsv", "pairs_all.tsv", "fce.train.raw.tsv.xz", "lang8_sample.tok.tsv.xz"])
def test_an_open_config_with_a_restricted_file_is_refused(name: str, world: Path, tmp_path: Path) -> None:
    """The same by the run itself, whatever the file is called in the config."""
    path = OPEN_CONFIGS[0]
    changes = [*shrink(read(path), world, tmp_path / "run"), "data.source_list=open"]
    restricted = shutil.copy(world / "pairs.tsv", tmp_path / name)
    changes.append(f"data.sources.mined.files=['{restricted}']")
    with pytest.raises(InputError, match=rf"data\.sources\.mined\.files: .*{name}: it is not known"):
        train(read(path, changes))


@pytest.mark.parametrize("path", [path for path in FILES if read(path).variants], ids=lambda path: path.name)
def test_no_two_variants_of_a_config_are_the_same(path: Path) -> None:
    settings = [replace(config, folder="") for config in trained_configs(read(path))]
    assert not [config for config in settings if settings.count(config) > 1]


def test_the_configs_of_the_released_models_have_their_variants() -> None:
    for name, variants in (("en-open.toml", 3), ("en.toml", 7)):  # as their cards say
        assert len(read(CONFIGS / name).variants) == variants


def test_every_depth_of_the_paper_has_a_config() -> None:
    rows = {read(path).model["preset"] for path in (CONFIGS / "paper").glob("*.toml")}
    assert rows == {name for name in PRESETS if name.startswith("big-")}


def test_no_two_configs_write_to_one_folder() -> None:
    folders = [read(path).folder for path in FILES]
    assert len(set(folders)) == len(folders)


def test_the_documentation_names_every_setting() -> None:
    text = (CONFIGS.parent / "docs" / "training.md").read_text(encoding="utf-8")
    kinds = (TrainConfig, DataConfig, SourceConfig, RunConfig, DevConfig, StageConfig, BatchConfig, TaggerConfig)
    settings = {entry.name for kind in (*kinds, VariantConfig) for entry in fields(kind)}
    sections = {"data", "run", "dev", "stages", "model", "sources", "name", "tagger", "variants"}
    assert [name for name in sorted(settings - sections) if not re.search(rf"[`., ]{name}[`, ]", text)] == []
