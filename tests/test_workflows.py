"""The workflow files only call the scripts of the checkout, so that whatever they do can be run by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from redraft.server.settings import ServerSettings

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def test_there_are_workflows() -> None:
    assert [path.name for path in WORKFLOWS] == ["ci.yml", "wheels.yml"]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_every_command_of_a_workflow_is_a_script(path: Path) -> None:
    jobs = yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"]
    commands = [step["run"] for job in jobs.values() for step in job["steps"] if "run" in step]
    assert commands
    for command in commands:
        script = command.removeprefix("sudo ").split()[0]
        assert script.startswith("scripts/")
        assert (ROOT / script).is_file()


def test_sanitizers_and_the_fuzzer_run() -> None:
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8"))["jobs"]
    assert {"run": "scripts/sanitize"} in jobs["sanitize"]["steps"]
    assert {"run": "scripts/fuzz 300"} in jobs["sanitize"]["steps"]


def test_the_container_installs_the_code_and_all_models() -> None:
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    models = sorted(path.parent.name for path in (ROOT / "redraft" / "models").glob("*/pyproject.toml"))
    assert models == ["en", "en-open", "zh"]
    for folder in ("/source[server,zh]", *(f"/source/redraft/models/{model}" for model in models)):
        assert folder in text.replace('"', "").split()


def test_the_container_starts_a_server_that_is_allowed_to_start() -> None:
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    entry = json.loads(text.partition("ENTRYPOINT ")[2])
    assert entry[1:] == ["serve", "--host", "0.0.0.0", "--name", "localhost"]
    assert not ServerSettings(host="0.0.0.0", name=["localhost"]).is_local
