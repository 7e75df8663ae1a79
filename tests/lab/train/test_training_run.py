from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from redraft.errors import ConfigError
from redraft.lab.train.checkpoint import read_tensors
from redraft.lab.train.config import read
from redraft.lab.train.run_folder import lock_folder
from redraft.lab.train.training_run import train
from redraft.model.folder import ModelFolder


def weights(folder: Path) -> dict[str, torch.Tensor]:
    return read_tensors(folder / "model" / "weights.safetensors")


def events(folder: Path, name: str) -> list[dict]:
    lines = (folder / "log.jsonl").read_text(encoding="utf-8").splitlines()
    return [entry for entry in map(json.loads, lines) if entry["event"] == name]


def test_a_run_trains_its_stages_and_writes_a_model_folder(config_file, tmp_path):
    facts = ["summary=A trial", "licence=MIT", "threshold=0.5"]
    outcome = train(read(config_file(), facts))
    assert outcome.finished
    info = ModelFolder.open(tmp_path / "run" / "model").info
    assert (info.summary, info.licence, info.threshold) == ("A trial", "MIT", 0.5)
    assert ModelFolder.open(tmp_path / "run" / "model").config.width == 64
    assert {entry["stage"] for entry in events(tmp_path / "run", "train")} == {"first", "second"}
    assert events(tmp_path / "run", "stage")[-1]["pairs"] > 0


def test_another_run_starts_from_the_model_of_a_stage(config_file, tmp_path):
    path = config_file()
    train(read(path))
    stages = tmp_path / "run" / "stages"
    first, second = (read_tensors(stages / name / "weights.safetensors") for name in ("first", "second"))
    assert any(not torch.equal(first[name], second[name]) for name in first)
    assert all(torch.equal(second[name], tensor) for name, tensor in weights(tmp_path / "run").items())
    nearly_still = [f"stages.{name}.{key}" for name in ("first", "second") for key in ("steps=1", "learning_rate=1e-9")]
    train(read(path, [f"folder={tmp_path / 'next'}", f"start={stages / 'first'}", *nearly_still]))
    found = weights(tmp_path / "next")
    assert all(torch.allclose(first[name].float(), found[name].float(), atol=1e-3) for name in first)


def test_frozen_parts_keep_the_weights_of_the_start(config_file, tmp_path):
    path = config_file()
    train(read(path))
    start = weights(tmp_path / "run")
    stages = ['stages.first.frozen=["embedding", "encoder"]', 'stages.second.frozen=["embedding", "encoder"]']
    train(read(path, [f"folder={tmp_path / 'next'}", f"start={tmp_path / 'run' / 'model'}", *stages]))
    found = weights(tmp_path / "next")
    same = {name for name in start if torch.equal(start[name], found[name])}
    assert same == {name for name in start if not name.startswith("decoder.")}


def test_parts_that_do_not_start_from_a_model_are_random_and_may_have_another_shape(config_file, tmp_path):
    path = config_file()
    train(read(path))
    start = weights(tmp_path / "run")
    nearly_still = [f"stages.{name}.{key}" for name in ("first", "second") for key in ("steps=1", "learning_rate=1e-9")]
    changes = ['start_parts=["embedding", "encoder"]', "model.decoder_layers=2", *nearly_still]
    train(read(path, [f"folder={tmp_path / 'next'}", f"start={tmp_path / 'run' / 'model'}", *changes]))
    found = weights(tmp_path / "next")
    same = {name for name in start if torch.allclose(start[name].float(), found[name].float(), atol=1e-3)}
    matrices = {name for name in start if name.startswith("decoder.") and start[name].dim() == 2}
    assert not same & matrices and {name for name in start if not name.startswith("decoder.")} <= same
    assert len(found) > len(start)


def test_a_frozen_stage_that_is_interrupted_ends_with_the_same_weights(config_file, tmp_path, monkeypatch):
    path = config_file()
    frozen = ['stages.first.frozen=["encoder"]', 'stages.second.frozen=["decoder"]', "stages.second.optimizer=muon"]
    train(read(path, [*frozen, f"folder={tmp_path / 'straight'}"]))
    broken = [*frozen, f"folder={tmp_path / 'broken'}"]
    for stop in (3, 8):  # once in each stage
        with monkeypatch.context() as patch:
            stop_after(patch, stop)
            assert not train(read(path, broken), resume=stop > 3).finished
    assert train(read(path, broken), resume=True).finished
    expected, found = weights(tmp_path / "straight"), weights(tmp_path / "broken")
    assert all(torch.equal(expected[name], found[name]) for name in expected)


def test_an_interrupted_run_ends_with_the_same_weights(config_file, tmp_path, monkeypatch):
    path = config_file()
    straight = [f"folder={tmp_path / 'straight'}"]
    train(read(path, straight))
    for stop in (3, 8):  # once in each stage
        broken = [f"folder={tmp_path / f'broken{stop}'}"]
        with monkeypatch.context() as patch:
            stop_after(patch, stop)
            assert not train(read(path, broken)).finished
        assert train(read(path, broken), resume=True).finished
        expected, found = weights(tmp_path / "straight"), weights(tmp_path / f"broken{stop}")
        assert all(torch.equal(expected[name], found[name]) for name in expected)


def test_the_weights_do_not_depend_on_the_number_of_workers(config_file, tmp_path):
    path = config_file()
    for workers in (1, 3):
        train(read(path, [f"folder={tmp_path / str(workers)}", f"data.workers={workers}"]))
    one, three = weights(tmp_path / "1"), weights(tmp_path / "3")
    assert all(torch.equal(one[name], three[name]) for name in one)


def test_a_second_run_does_not_overwrite_the_first(config_file):
    config = read(config_file(), ["stages.first.steps=1", "stages.second.steps=1"])
    train(config)
    with pytest.raises(ConfigError, match="--resume"):
        train(config)


def test_a_run_in_a_folder_where_another_one_goes_on_is_refused(config_file, tmp_path):
    config = read(config_file(), ["stages.first.steps=1", "stages.second.steps=1"])
    with lock_folder(tmp_path / "run"):
        for resume in (False, True):
            with pytest.raises(ConfigError, match=r"another run is going on in .*run; wait for it"):
                train(config, resume=resume)
    assert train(config).finished


def stop_after(patch: pytest.MonkeyPatch, steps: int) -> None:
    """Stops the run after a number of steps."""
    from redraft.lab.train import training_run

    original = training_run.TrainingRun._hooks

    def hooks(session, *arguments):
        made = original(session, *arguments)
        made.should_stop = lambda: session.position.all_steps >= steps
        return made

    patch.setattr(training_run.TrainingRun, "_hooks", hooks)


def test_a_run_can_start_from_a_finished_model(config_file, tmp_path):
    path = config_file()
    train(read(path, ["stages.first.steps=2", "stages.second.steps=2"]))
    nearly_still = ["stages.first.steps=1", "stages.first.learning_rate=1e-9", "stages.first.weight_decay=0.0"]
    nearly_still += ["stages.second.steps=1", "stages.second.learning_rate=1e-9", "stages.second.weight_decay=0.0"]
    start = [f"start={tmp_path / 'run' / 'model'}", f"folder={tmp_path / 'again'}"]
    assert train(read(path, [*nearly_still, *start])).finished
    before, after = weights(tmp_path / "run"), weights(tmp_path / "again")
    assert all(torch.allclose(before[name].float(), after[name].float(), atol=1e-3) for name in before)


def test_a_run_refuses_to_start_from_weights_of_another_tokenizer(config_file, tmp_path):
    path = config_file()
    train(read(path))
    tokenizer = json.loads(Path(read(path).data.tokenizer).read_text(encoding="utf-8"))
    vocabulary = tokenizer["model"]["vocab"]
    *_, first, second = vocabulary
    vocabulary[first], vocabulary[second] = vocabulary[second], vocabulary[first]
    (tmp_path / "other.json").write_text(json.dumps(tokenizer), encoding="utf-8")
    start = tmp_path / "run" / "model"
    other = [f"folder={tmp_path / 'next'}", f"start={start}", f"data.tokenizer={tmp_path / 'other.json'}"]
    with pytest.raises(ConfigError, match=r"other\.json is not the tokenizer of .*set data\.tokenizer="):
        train(read(path, other))
    assert train(read(path, [*other[:2], f"data.tokenizer={start / 'tokenizer.json'}"])).finished


def test_a_run_that_crashes_at_any_write_ends_with_the_same_weights(config_file, tmp_path, monkeypatch):
    """Crashes a run at its first rename of a file, resumes it and crashes it at the second, and so on to its end."""
    path = config_file()
    short = ["stages.first.steps=2", "stages.second.steps=2", "stages.second.accumulate=1", "data.workers=1"]
    short += ["run.checkpoint_steps=1", "run.keep_weights=1", "stages.first.keep_checkpoint=true"]
    short += ["stages.first.final_weights=average", "stages.second.final_weights=best", "dev.correct_sentences=1"]
    train(read(path, [*short, f"folder={tmp_path / 'straight'}"]))
    config = read(path, [*short, f"folder={tmp_path / 'crashed'}"])
    original, left = Path.replace, 0

    def crash(path: Path, target: Path) -> Path:
        nonlocal left
        if left == 0:
            raise KeyboardInterrupt
        left -= 1
        return original(path, target)

    crashes = 0
    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", crash)
        while True:
            left = crashes
            try:
                assert train(config, resume=True).finished
                break
            except KeyboardInterrupt:
                crashes += 1
    assert crashes > 4
    expected, found = weights(tmp_path / "straight"), weights(tmp_path / "crashed")
    assert all(torch.equal(expected[name], found[name]) for name in expected)
