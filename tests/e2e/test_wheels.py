"""The distributions, built and installed as a user without an index would do it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "scripts" / "environment"


def list_pythons() -> list[str]:
    done = subprocess.run(["bash", "-c", f"source {SCRIPT}; find_pythons"], capture_output=True, text=True, check=True)
    return done.stdout.split()


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if Path(sys.prefix) != ROOT / ".venv-test":
        pytest.skip("wheels are built in the environment that scripts/test makes; this is another one")
    folder = tmp_path_factory.mktemp("wheels")
    environment = os.environ | {"REDRAFT_TEST_ENVIRONMENT": "ready"}
    command = [str(ROOT / "scripts" / "wheels"), str(folder), "--dependencies"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def metadata_of(wheel: Path) -> dict[str, str]:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return dict(Parser().parsestr(archive.read(name).decode()))


def names_in(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()


def test_the_code_and_each_model_are_distributions_of_their_own(wheels: Path) -> None:
    names = sorted(wheel.name.split("-")[0] for wheel in wheels.glob("redraft*.whl"))
    assert names == ["redraft", "redraft", "redraft_model_en", "redraft_model_en_open", "redraft_model_zh"]
    (pure,) = wheels.glob("redraft-*-py3-none-any.whl")
    assert not [name for name in names_in(pure) if "models/" in name or name.endswith(".so")]
    (source,) = wheels.glob("redraft-*.tar.gz")
    with tarfile.open(source) as archive:
        assert not [name for name in archive.getnames() if name.endswith((".so", ".safetensors"))]


@pytest.mark.skipif(sys.platform != "linux", reason="manylinux is a tag of Linux")
def test_the_compiled_wheel_runs_on_many_linux_systems(wheels: Path) -> None:
    (compiled,) = (wheel for wheel in wheels.glob("redraft-*.whl") if "none-any" not in wheel.name)
    assert "manylinux_" in compiled.name
    assert any(name.endswith("libredraft.so") for name in names_in(compiled))


def test_a_model_states_its_own_terms(wheels: Path) -> None:
    for model, expression, word in (
        ("en", "LicenseRef-Redraft-Model-En", "research"),
        ("en_open", "CC-BY-SA-4.0", "CC BY-SA 4.0"),
        ("zh", "LicenseRef-Redraft-Model-Zh", "research"),
    ):
        (wheel,) = wheels.glob(f"redraft_model_{model}-*.whl")
        assert metadata_of(wheel)["License-Expression"] == expression
        with zipfile.ZipFile(wheel) as archive:
            (licence,) = (name for name in archive.namelist() if name.endswith("licenses/LICENSE"))
            assert word in archive.read(licence).decode()
    (pure,) = wheels.glob("redraft-*-py3-none-any.whl")
    assert metadata_of(pure)["License-Expression"] == "MIT"


@pytest.mark.parametrize("python", list_pythons())
def test_the_folder_installs_without_an_index_and_corrects(wheels: Path, python: str, tmp_path: Path) -> None:
    environment = tmp_path / "environment"
    subprocess.run([python, "-m", "venv", str(environment)], check=True)
    program = environment / "bin"
    clean = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    install = ["-m", "pip", "install", "-qq", "--disable-pip-version-check", "--no-index", "--find-links", str(wheels)]
    packages = ["redraft", "redraft-model-en", "redraft-model-en-open", "redraft-model-zh"]
    subprocess.run([str(program / "python"), *install, *packages], check=True, env=clean)

    def run(*arguments: str) -> str:
        command = [str(program / "redraft"), *arguments]
        return subprocess.run(command, check=True, env=clean, cwd=tmp_path, capture_output=True, text=True).stdout

    assert run("fix", "She go to school every days.") == "She goes to school every day.\n"
    corrected = run("fix", "--model", "en-open", "The attached files contains a error.")
    assert corrected == "The attached file contains an error.\n"
    assert run("fix", "今天天汽很好，我门去公园玩。") == "今天天气很好，我们去公园玩。\n"
    assert [json.loads(line)["name"] for line in run("models", "--json").splitlines()] == ["en", "en-open", "zh"]
