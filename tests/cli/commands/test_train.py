from __future__ import annotations

from pathlib import Path

import pytest
import typer
from training_world import make_world, write_config
from typer.testing import CliRunner

from redraft.cli.commands.train import average, plot, train
from redraft.errors import ConfigError, InputError
from redraft.model.folder import ModelFolder

app = typer.Typer()
app.command()(train)
app.command()(average)
app.command()(plot)
SHORT = ("--set", "stages.first.steps=2", "--set", "stages.second.steps=2", "--set", "run.keep=2")


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
    with pytest.raises(ConfigError, match="unknown key 'colour'"):
        run("train", config, "--set", "run.colour=blue")


def test_a_run_is_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    log = tmp_path / "log.jsonl"
    log.write_text('{"event": "train", "step": 1, "loss": 2.0}\n')
    assert run("plot", tmp_path, "-o", tmp_path / "curve.svg") == 0
    assert "<svg" in (tmp_path / "curve.svg").read_text()
    with pytest.raises(ConfigError, match=r"curve\.xyz: Format 'xyz' is not supported"):
        run("plot", log, "-o", tmp_path / "curve.xyz")
    with pytest.raises(InputError, match="no such log"):
        run("plot", tmp_path / "nothing", "-o", tmp_path / "curve.png")
