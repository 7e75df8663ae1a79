from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from faulty_runs import FailingRun, KilledRun, TerminatedRun
from training_world import write_config

from redraft.errors import ConfigError, InputError, RedraftError
from redraft.lab.train import training_run
from redraft.lab.train.checkpoint import read_tensors
from redraft.lab.train.config import TrainConfig, read
from redraft.lab.train.training_run import TrainingRun, start_run, train
from redraft.lab.train.variant_process import OUTPUT
from redraft.model.folder import ModelFolder

SHARED = "last_shared_stage=first"
CHANGED = "'stages.second.steps=3', 'stages.second.learning_rate=0.002', 'data.seed=2'"
VARIANTS = f"variants=[{{name='a'}}, {{name='b', set=[{CHANGED}]}}]"


@pytest.fixture(scope="module")
def config_path(world: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_config(world, tmp_path_factory.mktemp("variants"))


@pytest.fixture(scope="module")
def straight(config_path: Path) -> Path:
    """The folder of a run with two variants that was not interrupted."""
    assert train(read(config_path, [SHARED, VARIANTS])).finished
    return config_path.parent / "run"


def weights(model: Path) -> dict[str, torch.Tensor]:
    return read_tensors(model / "weights.safetensors")


def same(first: Path, second: Path) -> bool:
    one, two = weights(first), weights(second)
    return all(torch.equal(one[name], two[name]) for name in one)


def events(folder: Path, name: str) -> list[dict]:
    lines = (folder / "log.jsonl").read_text(encoding="utf-8").splitlines()
    return [entry for entry in map(json.loads, lines) if entry["event"] == name]


def test_the_model_is_the_mean_of_the_variants(straight):
    ends = [read_tensors(straight / "variants" / name / "last.safetensors") for name in ("a", "b")]
    assert not same(straight / "variants" / "a" / "model", straight / "variants" / "b" / "model")
    for name, found in weights(straight / "model").items():
        assert torch.equal(found, ((ends[0][f"weights.{name}"] + ends[1][f"weights.{name}"]) / 2).half())
    card = ModelFolder.open(straight / "model").card.read_text(encoding="utf-8")
    assert "mean of 2 variants" in card and "- a: 4 steps" in card and "- b: 3 steps" in card
    assert "in 13 steps" in card  # 6 shared ones, 4 and 3


def test_a_variant_without_changes_equals_the_run_without_variants(straight, config_path, tmp_path):
    plain = [f"folder={tmp_path / 'plain'}"]
    train(read(config_path, plain))
    assert same(straight / "variants" / "a" / "model", tmp_path / "plain" / "model")
    with pytest.raises(ConfigError, match="holds a run without variants, and is beyond the stage 'first'"):
        train(read(config_path, [*plain, SHARED, VARIANTS]), resume=True)


def test_text_is_indexed_once_and_shared_stages_are_trained_once(straight):
    assert {entry["source"] for entry in events(straight, "source")} == {"clean", "packed", "pairs"}
    assert {entry["stage"] for entry in events(straight, "train")} == {"first"}
    for folder in (straight / "variants").iterdir():
        assert events(folder, "source") == [] and not (folder / "text").exists()
        assert {entry["stage"] for entry in events(folder, "train")} == {"second"}


def test_dev_figures_of_the_variants_and_of_the_mean_are_logged(straight):
    assert [entry["weights"] for entry in events(straight, "final dev")] == ["a", "b", "mean"]
    assert all("overcorrected" in entry for entry in events(straight, "final dev"))


def test_an_interrupted_run_ends_with_the_same_weights(straight, config_path, tmp_path, monkeypatch, capfd):
    """Stopped in the shared stage; terminated in the variants; one variant killed; the same one failed; finished."""
    folder = tmp_path / "broken"
    config = read(config_path, [SHARED, VARIANTS, f"folder={folder}"])

    def go_on(kind: type[TrainingRun]) -> bool:
        return start_run(kind, config, None, resume=True, root=Path()).finished

    with monkeypatch.context() as patch:
        stop_in_shared_stage(patch, 3)
        assert not train(config).finished
    assert not (folder / "variants").exists()
    assert not go_on(TerminatedRun)
    assert "\na: stopped\n" in capfd.readouterr().err
    with pytest.raises(RedraftError, match=r"1 of 2 variants failed: b \(killed by SIGKILL\); .*--resume"):
        go_on(KilledRun)
    assert f"b: failed (killed by SIGKILL); see {folder / 'variants' / 'b' / OUTPUT}\n" in capfd.readouterr().err
    finished = (folder / "variants" / "a" / OUTPUT).read_bytes()
    with pytest.raises(RedraftError, match=r"1 of 2 variants failed: b \(RuntimeError: out of memory\)"):
        go_on(FailingRun)
    assert "Traceback" in (folder / "variants" / "b" / OUTPUT).read_text(encoding="utf-8")
    assert not (folder / "model").exists()
    assert go_on(TrainingRun)
    assert (folder / "variants" / "a" / OUTPUT).read_bytes() == finished  # it was not started again
    for model in ("model", "variants/a/model", "variants/b/model"):
        assert same(straight / model, folder / model)


def stop_in_shared_stage(patch: pytest.MonkeyPatch, steps: int) -> None:
    original = TrainingRun._hooks

    def hooks(run, *arguments):
        made = original(run, *arguments)
        made.should_stop = lambda: run.position.all_steps >= steps
        return made

    patch.setattr(TrainingRun, "_hooks", hooks)


def test_a_variant_that_was_changed_after_its_end_is_refused(straight, config_path, no_device):
    assert straight.is_dir()
    changed = VARIANTS.replace("steps=3", "steps=5")
    with pytest.raises(ConfigError, match=r"variants\.b is finished and was trained with other settings"):
        train(read(config_path, [SHARED, changed]), resume=True)


def test_a_finished_run_is_not_overwritten(straight, config_path):
    config = read(config_path, [SHARED, VARIANTS, f"folder={straight}"])
    with pytest.raises(ConfigError, match="holds a run already"):
        train(config)


@pytest.fixture
def no_device(monkeypatch: pytest.MonkeyPatch) -> None:
    def choose_device(name: str) -> torch.device:
        raise AssertionError("a device was used")

    monkeypatch.setattr(training_run, "choose_device", choose_device)


def other_folder(path: Path, folder: Path, *changes: str) -> TrainConfig:
    return read(path, [SHARED, f"folder={folder}", *changes])


def test_a_missing_file_of_one_variant_is_found_before_a_device_is_used(config_path, tmp_path, no_device):
    mix = "variants=[{name='a'}, {name='b', set=['stages.second.mix={extra=1.0}']}]"
    extra = "data.sources.extra={kind='pairs', files=['none.tsv']}"
    with pytest.raises(InputError, match=r"data\.sources\.extra\.files: none\.tsv"):
        train(other_folder(config_path, tmp_path / "run", extra, mix))


def test_sentences_that_are_too_long_for_the_model_are_found_before_a_device_is_used(config_path, tmp_path, no_device):
    longer = "variants=[{name='a', set=['data.max_length=65']}]"
    with pytest.raises(ConfigError, match=r"data\.max_length 65 is more than the model allows"):
        train(other_folder(config_path, tmp_path / "run", longer))


def test_variants_are_not_trained_by_torchrun(config_path, tmp_path, monkeypatch, no_device):
    monkeypatch.setenv("WORLD_SIZE", "2")
    with pytest.raises(ConfigError, match="without torchrun"):
        train(other_folder(config_path, tmp_path / "run", VARIANTS))
