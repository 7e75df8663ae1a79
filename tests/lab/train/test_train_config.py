from __future__ import annotations

from pathlib import Path

import pytest

from redraft.errors import ConfigError
from redraft.lab.train.config import BatchConfig, StageConfig, read, trained_configs


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


def test_a_model_that_writes_errors_has_no_dev_set_and_is_no_tagger(config_file):
    with pytest.raises(ConfigError, match=r"set dev\.m2 = \[\]"):
        read(config_file(), ["data.reversed=true", "dev.m2=['dev.m2']"])
    with pytest.raises(ConfigError, match="which a tagger cannot do"):
        read(config_file(), ["data.reversed=true", "tagger={tags='tags.json'}"])
    assert read(config_file(), ["data.reversed=true"]).data.reversed


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


def variants(*entries: str, shared: str = "first") -> list[str]:
    return [f"last_shared_stage={shared}", f"variants=[{', '.join(entries)}]"]


def test_a_variant_has_its_changes_and_a_folder_of_its_own(config_file, tmp_path):
    changes = variants("{name='a'}", "{name='b', set=['stages.second.mix={clean=0.5, pairs=0.5}', 'data.seed=2']}")
    config = read(config_file(), changes)
    first, second = trained_configs(config)
    assert (first.stages, first.data) == (config.stages, config.data)
    assert (second.stages[1].mix, second.data.seed) == ({"clean": 0.5, "pairs": 0.5}, 2)
    assert second.stages[0] == config.stages[0]
    assert [Path(each.folder) for each in (first, second)] == [tmp_path / "run" / "variants" / name for name in "ab"]


def test_the_command_line_changes_what_a_variant_sets(config_file):
    changes = variants("{name='a', set=['stages.second.steps=900', 'stages.second.learning_rate=0.5']}")
    (variant,) = trained_configs(read(config_file(), [*changes, "stages.second.steps=5"]))
    assert (variant.stages[1].steps, variant.stages[1].learning_rate) == (5, 0.5)


def test_without_variants_the_config_itself_is_trained(config_file):
    config = read(config_file(), ["last_shared_stage=first"])
    assert trained_configs(config) == (config,)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (variants("{name='a'}", shared=""), "variants need last_shared_stage"),
        (variants("{name='a'}", shared="frist"), "no stage is called 'frist'; did you mean 'first'"),
        (variants("{name='a'}", shared="second"), "no stage comes after 'second'"),
        (variants("{name='a'}", "{name='a'}"), "two variants have the name 'a'"),
        (variants("{name='../a'}"), r"variants\.\.\./a is not valid: the name of a variant has letters"),
        (variants("{name='a', steps=3}"), r"variants\.a\.steps is not a known setting"),
        (
            variants("{name='a', set=['stages.third.steps=1']}"),
            r"variants\.a: set stages\.third\.steps: .* no entry",
        ),
        (
            variants("{name='a', set=['stages.second.stops=1']}"),
            r"variants\.a: stages\.second\.stops is not a known",
        ),
        (variants("{name='a', set=['stages.second.mix={none=1}']}"), r"variants\.a: .*no data source is called 'none'"),
        (variants("{name='a', set=['nonsense']}"), r"variants\.a: set takes key=value, not 'nonsense'"),
        (variants("{name='a', set=['stages.first.steps=1']}"), r"variants\.a: stages\.first cannot be set"),
        (variants("{name='a', set=['stages.0.steps=1']}"), r"variants\.a: stages\.first cannot be set"),
        (variants("{name='a', set=['folder=there']}"), r"variants\.a: folder cannot be set for one variant"),
        (variants("{name='a', set=['model.width=32']}"), r"variants\.a: model cannot be set"),
        (variants("{name='a', set=['start=there']}"), r"variants\.a: start cannot be set"),
        (variants("{name='a', set=['licence=MIT']}"), r"variants\.a: licence cannot be set"),
        (variants("{name='a', set=['data.tokenizer=other']}"), r"variants\.a: data\.tokenizer cannot be set"),
        (variants("{name='a', set=['data.source_list=open']}"), r"variants\.a: data\.source_list cannot be set"),
        (variants("{name='a', set=['data.sources.pairs.files=[\"x\"]']}"), r"variants\.a: data\.sources cannot be set"),
    ],
)
def test_a_bad_variant_is_refused_in_one_line(config_file, changes, message):
    with pytest.raises(ConfigError, match=message) as failure:
        read(config_file(), changes)
    assert len(str(failure.value).splitlines()) == 1
