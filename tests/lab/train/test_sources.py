from __future__ import annotations

from pathlib import Path

import pytest

from redraft.checksum import checksum
from redraft.errors import InputError
from redraft.lab.data.shards import write
from redraft.lab.train.config import read
from redraft.lab.train.process_group import ProcessGroup
from redraft.lab.train.run_log import RunLog
from redraft.lab.train.sources import check_files, count_workers, plan_workers, prepare_sources
from redraft.lab.train.training_run import train
from redraft.tokens.tokenizer import Tokenizer


def test_a_stage_gets_the_sources_of_its_mix(config_file):
    config = read(config_file())
    sources = prepare_sources(config, Path(), ProcessGroup(), RunLog(None))
    first, second = (
        plan_workers(config.data, stage, number, sources, Path()) for number, stage in enumerate(config.stages)
    )
    assert [(source.kind, source.share) for source in first.sources] == [
        ("clean", 0.6),
        ("pairs", 0.2),
        ("shards", 0.2),
    ]
    assert [(source.kind, source.share) for source in second.sources] == [("pairs", 1.0)]
    assert first.error_table is not None and second.error_table is None  # pairs have errors already
    assert first.seed != second.seed


def test_text_that_no_stage_uses_is_not_read(config_file, tmp_path):
    changes = ["stages.first.mix={pairs=1.0}", f"data.sources.clean.files=['{tmp_path / 'nowhere.txt'}']"]
    assert prepare_sources(read(config_file(), changes), Path(), ProcessGroup(), RunLog(None)).keys() == {"pairs"}


def test_workers_are_shared_by_the_processes_of_one_machine(config_file, monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 16)
    data = read(config_file(), ["data.workers=0"]).data
    assert count_workers(data, ProcessGroup()) == 15
    assert count_workers(data, ProcessGroup(rank=0, size=4)) == 3


def prepare_packed(config_file, *changes: str) -> None:
    changes = ("stages.first.mix={packed=1.0}", "stages.second.mix={packed=1.0}", *changes)
    prepare_sources(read(config_file(), changes), Path(), ProcessGroup(), RunLog(None))


def test_packed_ids_of_another_tokenizer_are_refused(config_file, tmp_path):
    other = tmp_path / "other.json"
    Tokenizer.train_bytes(["another text"], 400).save(other)
    with pytest.raises(InputError, match=rf"packed with another tokenizer than {other}"):
        prepare_packed(config_file, f"data.tokenizer={other}")


def test_packed_ids_are_not_copied_and_must_be_there(config_file, tmp_path):
    prepare_packed(config_file)
    assert not (tmp_path / "run" / "text").exists()
    with pytest.raises(InputError, match="no training file matches"):
        prepare_packed(config_file, f"data.sources.packed.files=['{tmp_path / 'nowhere'}']")
    with pytest.raises(InputError, match=r"shards\.json is missing"):
        prepare_packed(config_file, f"data.sources.packed.files=['{tmp_path}']")


def test_a_folder_without_pairs_is_refused(config_file, world, tmp_path):
    write(tmp_path / "none", [], 400, checksum(world / "tokenizer.json"))
    with pytest.raises(InputError, match="no pair is left"):
        prepare_packed(config_file, f"data.sources.packed.files=['{tmp_path / 'none'}']")


def test_all_missing_files_are_named_at_once(config_file, tmp_path):
    check_files(read(config_file()), Path())
    changes = [
        "data.tokenizer=a.json",
        "data.error_table=b.gz",
        "start=c",
        "data.exclude=['d/*.txt']",
        "dev.m2=['e.m2']",
    ]
    changes += ["data.sources.clean.files=['f.xz', 'g.xz']", "data.sources.unused={kind='copy', files=['h']}"]
    with pytest.raises(InputError) as failure:
        check_files(read(config_file(), changes), tmp_path)
    assert str(failure.value).splitlines()[1:] == [
        "  data.tokenizer: a.json",
        "  data.error_table: b.gz",
        "  start: c",
        "  data.exclude: d/*.txt",
        "  dev.m2: e.m2",
        "  data.sources.clean.files: f.xz",
        "  data.sources.clean.files: g.xz",
    ]


def test_missing_files_are_found_before_a_device_is_used(config_file, monkeypatch):
    def fail(name: str) -> None:
        raise AssertionError("a device was chosen")

    monkeypatch.setattr("redraft.lab.train.training_run.choose_device", fail)
    with pytest.raises(InputError, match=r"data\.tokenizer: nowhere\.json"):
        train(read(config_file(), ["data.tokenizer=nowhere.json"]))
