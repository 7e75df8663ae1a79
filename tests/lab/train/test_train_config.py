from __future__ import annotations

from pathlib import Path

import pytest

from redraft.errors import ConfigError
from redraft.lab.train.config import BatchConfig, StageConfig, read


def test_values_land_where_they_belong(config_file):
    config = read(config_file())
    assert config.stages[0].batches == (BatchConfig(1, until=0.5), BatchConfig(2))
    assert config.stages[1].mix == {"pairs": 1.0}
    assert config.data.sources["clean"].kind == "clean"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("run.colour=blue", r"\[run\]: unknown key 'colour'"),
        ("data.unit=many", r"data\.unit must be of type int"),
        ("data.unit=true", r"data\.unit must be of type int"),
        ("run.precision=fp8", r"run\.precision must be one of bf16, fp32"),
        ("stages.first.mix={nothing=1.0}", "no data source is called 'nothing'"),
        ("stages.first.dropout=1.5", "dropout must lie between 0 and 1"),
        ("stages.first.steps=0", "give minutes or steps"),
        ("stages.third.steps=1", "no entry 'third'"),
        ("stages.first.batches=[{units=1, until=0.5}]", r"until 1\.0"),
        ("data.errors=''", "needs data.errors"),
        ("stages.first.finish=average", "needs run.keep"),
        ("nonsense", "key=value"),
    ],
)
def test_a_bad_value_is_refused_by_name(config_file, change, message):
    with pytest.raises(ConfigError, match=message):
        read(config_file(), [change])


def test_changes_reach_tables_and_entries_of_lists(config_file):
    config = read(config_file(), ["model.width=32", "stages.0.minutes=2", "stages.second.steps=9", "run.device=cuda"])
    assert config.model["width"] == 32
    assert config.stages[0].minutes == 2.0
    assert config.stages[1].steps == 9
    assert config.run.device == "cuda"


def test_a_file_that_is_not_there_or_not_toml(tmp_path: Path):
    with pytest.raises(ConfigError, match="no such config"):
        read(tmp_path / "none.toml")
    (tmp_path / "bad.toml").write_text("folder = ", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"bad\.toml"):
        read(tmp_path / "bad.toml")


def test_a_stage_needs_an_end():
    with pytest.raises(ConfigError, match="minutes or steps"):
        StageConfig("endless", {"clean": 1.0})
