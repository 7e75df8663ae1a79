"""Every shipped config can be read, and trains with a tiny model and little data."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from redraft.lab.train.config import (
    BatchConfig,
    DataConfig,
    DevConfig,
    RunConfig,
    SourceConfig,
    StageConfig,
    TrainConfig,
    read,
)
from redraft.lab.train.training_run import train
from redraft.model.config import PRESETS

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
    "run.device=cpu",
    "run.precision=fp32",
    "run.compile=none",
    "run.keep_weights=1",
    "run.checkpoint_steps=1",
    "dev.m2=[]",
    "dev.correct_sentences=1",
)


def shrink(config: TrainConfig, world: Path, folder: Path) -> list[str]:
    changes = [*SMALL, f"folder={folder}", f"data.tokenizer={world / 'tokenizer.json'}"]
    changes += [f"data.error_table={world / 'errors.json.gz'}"] if config.data.error_table else []
    for name, source in config.data.sources.items():
        changes.append(f"data.sources.{name}.files=['{world / WORLD.get(source.kind, 'clean.txt')}']")
    for stage in config.stages:
        changes += [f"stages.{stage.name}.{change}" for change in ("minutes=0", "steps=2", "accumulate=1")]
        changes.append(f"stages.{stage.name}.batches=[{{packs=1}}]")
    return changes


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(CONFIGS)))
def test_a_shipped_config_trains_with_a_tiny_model(path: Path, world: Path, tmp_path: Path) -> None:
    config = read(path)
    assert config.start or config.model["preset"] in PRESETS
    assert train(read(path, shrink(config, world, tmp_path))).finished


def test_every_depth_of_the_paper_has_a_config() -> None:
    rows = {read(path).model["preset"] for path in (CONFIGS / "paper").glob("*.toml")}
    assert rows == {name for name in PRESETS if name.startswith("big-")}


def test_no_two_configs_write_to_one_folder() -> None:
    folders = [read(path).folder for path in FILES]
    assert len(set(folders)) == len(folders)


def test_the_documentation_names_every_setting() -> None:
    text = (CONFIGS.parent / "docs" / "training.md").read_text(encoding="utf-8")
    kinds = (TrainConfig, DataConfig, SourceConfig, RunConfig, DevConfig, StageConfig, BatchConfig)
    settings = {entry.name for kind in kinds for entry in fields(kind)}
    sections = {"data", "run", "dev", "stages", "model", "sources", "name"}
    assert [name for name in sorted(settings - sections) if not re.search(rf"[`., ]{name}[`, ]", text)] == []
