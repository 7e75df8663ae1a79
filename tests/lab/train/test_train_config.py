from __future__ import annotations

from pathlib import Path

import pytest

from redraft.errors import ConfigError
from redraft.lab.train.config import BatchConfig, StageConfig, read


def test_values_are_read_into_their_fields(config_file):
    config = read(config_file())
    assert config.stages[0].batches == (BatchConfig(1, until=0.5), BatchConfig(2))
    assert config.stages[1].mix == {"pairs": 1.0}
    assert config.data.sources["clean"].kind == "clean"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("run.colour=blue", r"run\.colour is not a known setting"),
        ("data.pack_tokens=many", r"data\.pack_tokens must be a whole number"),
        ("data.pack_tokens=true", r"data\.pack_tokens must be a whole number"),
        ("run.precision=fp8", r"run\.precision must be one of bf16, fp32"),
        ("stages.first.mix={nothing=1.0}", "no data source is called 'nothing'"),
        ("stages.first.dropout=1.5", r"stages\.first\.dropout must be at least 0 and below 1"),
        ("stages.first.steps=0", "a stage needs minutes or steps"),
        ("stages.third.steps=1", "no entry 'third'"),
        ("stages.first.batches=[{packs=1, until=0.5}]", r"until = 1\.0"),
        ("data.error_table=''", r"needs data\.error_table"),
        ("stages.first.final_weights=average", r"needs run\.keep_weights"),
        ("stages.first.decay_steps=2", "decay_steps needs schedule = 'constant'"),
        ("stages.first.decay_minutes=2", "decay_minutes 2.0 is more than minutes 0.0"),
        ("nonsense", "key=value"),
    ],
)
def test_a_bad_value_is_refused_by_name(config_file, change, message):
    with pytest.raises(ConfigError, match=message):
        read(config_file(), [change])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("min_confidence=0.5", "min_confidence is now threshold"),
        ("data.errors=x", "data.errors is now error_table"),
        ("data.unit=1", "data.unit is now pack_tokens"),
        ("data.longest=1", "data.longest is now max_length"),
        ("data.lanes=1", "data.lanes is now partitions"),
        ("run.keep=1", "run.keep is now keep_weights"),
        ("run.spike=2.0", "run.spike is now spike_factor"),
        ("dev.probe=1", "dev.probe is now correct_sentences"),
        ("dev.batch=1", "dev.batch is now batch_size"),
        ("stages.first.clip=1.0", "stages.first.clip is now clip_norm"),
        ("stages.first.finish=last", "stages.first.finish is now final_weights"),
        ("stages.first.examine_steps=1", "stages.first.examine_steps is now evaluation_steps"),
        ("stages.first.batches=[{units=1}]", "stages.first.batches.0.units is now packs"),
    ],
)
def test_an_old_key_is_refused_with_its_new_name(config_file, change, message):
    path = config_file()
    with pytest.raises(ConfigError) as failure:
        read(path, [change])
    assert str(failure.value) == f"{path}: {message}"


def test_changes_reach_tables_and_entries_of_lists(config_file):
    config = read(config_file(), ["model.width=32", "stages.0.minutes=2", "stages.second.steps=9", "run.device=cuda"])
    assert config.model["width"] == 32
    assert config.stages[0].minutes == 2.0
    assert config.stages[1].steps == 9
    assert config.run.device == "cuda"


def test_a_config_that_is_missing_or_not_toml_is_refused(tmp_path: Path):
    with pytest.raises(ConfigError, match="no such config"):
        read(tmp_path / "none.toml")
    (tmp_path / "bad.toml").write_text("folder = ", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"bad\.toml"):
        read(tmp_path / "bad.toml")


def test_a_stage_needs_an_end():
    with pytest.raises(ConfigError, match="minutes or steps"):
        StageConfig("endless", {"clean": 1.0})
