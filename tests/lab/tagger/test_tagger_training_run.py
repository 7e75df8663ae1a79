from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from redraft.errors import ConfigError, InputError
from redraft.lab.tagger.folder import TaggerFolder
from redraft.lab.tagger.train import main
from redraft.lab.tagger.training_run import train_tagger
from redraft.lab.train.checkpoint import read_tensors
from redraft.lab.train.config import read
from redraft.lab.train.training_run import train
from redraft.model.folder import WEIGHTS

SHORT = ["stages.first.steps=3", "stages.second.steps=1", "data.workers=1"]


def weights(folder: Path) -> dict[str, torch.Tensor]:
    return read_tensors(folder / "model" / "encoder" / WEIGHTS)


def test_a_run_writes_a_folder_for_each_stage_and_evaluates(config_file, tmp_path, world):
    (tmp_path / "dev.m2").write_text("S He like teh sea .\nA 2 3|||R:SPELL|||the|||REQUIRED|||-NONE-|||0\n\n")
    changes = [*SHORT, f"dev.m2=['{tmp_path / 'dev.m2'}']", "tagger.min_probability=0.5", "tagger.max_passes=2"]
    assert train_tagger(read(config_file, changes)).finished
    folders = [TaggerFolder.open(tmp_path / "run" / name) for name in ("model", "stages/first", "stages/second")]
    assert {(folder.options.min_probability, folder.options.max_passes) for folder in folders} == {(0.5, 2)}
    assert folders[0].vocabulary.tags[0].action == "KEEP" and folders[0].encoder.config.decoder_layers == 1
    lines = (tmp_path / "run" / "log.jsonl").read_text(encoding="utf-8").splitlines()
    assert [entry for entry in map(json.loads, lines) if entry["event"] == "dev" and "dev.f" in entry]
    assert not [entry for entry in map(json.loads, lines) if entry["event"] == "dev failed"]


def test_an_interrupted_run_goes_on(config_file, tmp_path):
    changes = [*SHORT, "run.checkpoint_steps=1"]
    train_tagger(read(config_file, [*changes, f"folder={tmp_path / 'straight'}"]))
    broken = read(config_file, [*changes, f"folder={tmp_path / 'broken'}"])
    assert not train_tagger(broken, minutes=1e-9).finished
    assert train_tagger(broken, resume=True).finished
    expected, found = weights(tmp_path / "straight"), weights(tmp_path / "broken")
    assert all(torch.equal(expected[name], found[name]) for name in expected)


def test_the_mean_of_variants_is_a_tagger(config_file, tmp_path):
    """Trained one after the other, so that the first has ended before the second begins."""
    variants = "variants=[{name='a'}, {name='b', set=['stages.second.learning_rate=0.01']}]"
    changes = ["last_shared_stage=first", variants, "run.variants_at_once=1", *SHORT]
    assert train_tagger(read(config_file, changes)).finished
    folder = tmp_path / "run"
    TaggerFolder.open(folder / "model")
    ends = [read_tensors(folder / "variants" / name / "last.safetensors") for name in ("a", "b")]
    for name, found in weights(folder).items():
        if name.startswith("encoder."):
            assert torch.equal(found, ((ends[0][f"weights.{name}"] + ends[1][f"weights.{name}"]) / 2).half())
    assert not torch.equal(ends[0]["weights.embedding.weight"], ends[1]["weights.embedding.weight"])
    logs = [(folder / "variants" / name / "log.jsonl").read_text(encoding="utf-8").splitlines() for name in ("a", "b")]
    assert json.loads(logs[0][-1])["time"] < json.loads(logs[1][0])["time"]


def test_a_run_starts_from_the_encoder_of_a_corrector(config_file, tmp_path):
    corrector = config_file.read_text(encoding="utf-8").partition("[tagger]")[0]
    (tmp_path / "corrector.toml").write_text(corrector, encoding="utf-8")
    train(read(tmp_path / "corrector.toml", [*SHORT, f"folder={tmp_path / 'corrector'}"]))
    start = tmp_path / "corrector" / "model"
    still = [f"stages.{stage}.learning_rate=1e-9" for stage in ("first", "second")]
    train_tagger(read(config_file, [*SHORT, *still, f"start={start}"]))
    before, after = read_tensors(start / WEIGHTS), weights(tmp_path / "run")
    encoder = [name for name in after if name.startswith("encoder.")]
    assert encoder and all(torch.allclose(before[name].float(), after[name].float(), atol=1e-3) for name in encoder)


def test_each_command_refuses_the_config_of_the_other(config_file, tmp_path, capsys):
    with pytest.raises(ConfigError, match=r"redraft\.lab\.tagger\.train"):
        train(read(config_file))
    (tmp_path / "corrector.toml").write_text(config_file.read_text(encoding="utf-8").partition("[tagger]")[0])
    assert main([str(tmp_path / "corrector.toml")]) == 2
    assert "needs a table [tagger]" in capsys.readouterr().err


def test_a_run_starts_from_the_linear_layer_of_another_tagger(config_file, tmp_path, trained, world):
    still = ["stages.first.steps=1", "stages.first.learning_rate=1e-12", "stages.second.steps=1"]
    still += ["stages.second.learning_rate=1e-12", "data.workers=1", f"tagger.layer={trained.path}"]
    result = train_tagger(read(config_file, still))
    assert result.model is not None
    assert (TaggerFolder.open(result.model).layer.weight == trained.layer.weight).all()
    missing = read(config_file, [*SHORT, f"tagger.layer={tmp_path / 'none'}", f"folder={tmp_path / 'new'}"])
    with pytest.raises(InputError, match=r"tagger\.layer"):
        train_tagger(missing)
    other = tmp_path / "other.json"
    trained.vocabulary.first(len(trained.vocabulary.tags) - 1).write(other)
    with pytest.raises(ConfigError, match="has other tags"):
        train_tagger(read(config_file, [*still, f"tagger.tags={other}", f"folder={tmp_path / 'new'}"]))
