from __future__ import annotations

from pathlib import Path

import pytest

from redraft.checksum import checksum
from redraft.errors import InputError
from redraft.lab.data.shards import write
from redraft.lab.train.config import read
from redraft.lab.train.group import Group
from redraft.lab.train.journal import Journal
from redraft.lab.train.sources import count_workers, gather_streams, plan_feed
from redraft.tokens.tokenizer import Tokenizer


def test_a_stage_gets_the_streams_of_its_mix(config_file):
    config = read(config_file())
    streams = gather_streams(config, Path(), Group(), Journal(None))
    first, second = (
        plan_feed(config.data, stage, number, streams, Path()) for number, stage in enumerate(config.stages)
    )
    assert [(stream.kind, stream.share) for stream in first.streams] == [
        ("clean", 0.6),
        ("pairs", 0.2),
        ("shards", 0.2),
    ]
    assert [(stream.kind, stream.share) for stream in second.streams] == [("pairs", 1.0)]
    assert first.errors is not None and second.errors is None  # pairs need no errors made
    assert first.seed != second.seed


def test_text_no_stage_asks_for_is_not_touched(config_file, tmp_path):
    changes = ["stages.first.mix={pairs=1.0}", f"data.sources.clean.files=['{tmp_path / 'nowhere.txt'}']"]
    assert gather_streams(read(config_file(), changes), Path(), Group(), Journal(None)).keys() == {"pairs"}


def test_workers_are_shared_by_the_processes_of_one_machine(config_file, monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 16)
    data = read(config_file(), ["data.workers=0"]).data
    assert count_workers(data, Group()) == 15
    assert count_workers(data, Group(rank=0, size=4)) == 3


def gather_packed(config_file, *changes: str) -> None:
    changes = ("stages.first.mix={packed=1.0}", "stages.second.mix={packed=1.0}", *changes)
    gather_streams(read(config_file(), changes), Path(), Group(), Journal(None))


def test_packed_ids_of_another_tokenizer_are_refused(config_file, tmp_path):
    other = tmp_path / "other.json"
    Tokenizer.train_bytes(["another text"], 400).save(other)
    with pytest.raises(InputError, match=rf"packed with another tokenizer than {other}"):
        gather_packed(config_file, f"data.tokenizer={other}")


def test_packed_ids_are_not_copied_and_must_be_there(config_file, tmp_path):
    gather_packed(config_file)
    assert not (tmp_path / "run" / "text").exists()
    with pytest.raises(InputError, match="no training file matches"):
        gather_packed(config_file, f"data.sources.packed.files=['{tmp_path / 'nowhere'}']")
    with pytest.raises(InputError, match=r"shards\.json is missing"):
        gather_packed(config_file, f"data.sources.packed.files=['{tmp_path}']")


def test_a_folder_without_pairs_is_refused(config_file, world, tmp_path):
    write(tmp_path / "none", [], 400, checksum(world / "tokenizer.json"))
    with pytest.raises(InputError, match="no pair is left"):
        gather_packed(config_file, f"data.sources.packed.files=['{tmp_path / 'none'}']")
