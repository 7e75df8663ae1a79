from __future__ import annotations

from pathlib import Path

import pytest
import typer
from training_world import make_world, write_config
from typer.testing import CliRunner

from redraft.cli.commands.train import average, split_checkpoint, train
from redraft.errors import ConfigError, InputError
from redraft.model.folder import ModelFolder

app = typer.Typer()
app.command()(train)
app.command()(average)
app.command()(split_checkpoint)
SHORT = ("--set", "stages.first.steps=2", "--set", "stages.second.steps=2", "--set", "run.keep_weights=2")


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("training")
    make_world(folder)
    return write_config(folder, folder)


def run(*arguments: object) -> int:
    return CliRunner().invoke(app, [str(argument) for argument in arguments], catch_exceptions=False).exit_code


def test_trains_stops_goes_on_and_averages(config: Path, tmp_path: Path) -> None:
    here = ("--set", f"folder={tmp_path / 'run'}", "--set", "run.checkpoint_steps=1")
    assert run("train", config, *SHORT, *here, "--minutes", 1e-9) == 3
    assert run("train", config, *SHORT, *here, "--resume") == 0
    model, kept = tmp_path / "run" / "model", sorted((tmp_path / "run").glob("weights-*.safetensors"))
    assert kept
    assert run("average", model, *kept, tmp_path / "run" / "last.safetensors", "-o", tmp_path / "mean") == 0
    assert ModelFolder.open(tmp_path / "mean").config == ModelFolder.open(model).config
    with pytest.raises(InputError, match="write the average to another"):
        run("average", model, *kept, "-o", model)


def test_a_mistake_in_a_setting_is_named(config: Path) -> None:
    with pytest.raises(ConfigError, match=r"run\.colour is not a known setting"):
        run("train", config, "--set", "run.colour=blue")


def test_a_checkpoint_is_split_and_continued(config: Path, tmp_path: Path) -> None:
    one, two = (("--set", f"folder={tmp_path / name}") for name in ("one", "two"))
    assert run("train", config, *SHORT, *one, "--minutes", 1e-9) == 3
    assert run("split-checkpoint", tmp_path / "one", tmp_path / "two" / "checkpoint", "--mib", 1) == 0
    assert all(path.stat().st_size <= 2**20 for path in (tmp_path / "two" / "checkpoint").iterdir())
    with pytest.raises(ConfigError, match="--resume"):
        run("train", config, *SHORT, *two)
    assert run("train", config, *SHORT, *two, "--resume") == 0
