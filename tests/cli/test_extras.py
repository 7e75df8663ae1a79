from __future__ import annotations

import re
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

from redraft.cli.extras import _MODULES, needs_extra
from redraft.errors import ConfigError

PROJECT = Path(__file__).parents[2] / "pyproject.toml"


@pytest.mark.parametrize("missing", ["uvicorn", "uvicorn.config"])
def test_a_missing_module_of_an_extra_is_named(missing: str) -> None:
    message = f"a server needs {missing}; install the extra 'server' of redraft"
    with pytest.raises(ConfigError, match=message), needs_extra("a server", "server"):
        raise ModuleNotFoundError("no module", name=missing)


@pytest.mark.parametrize(
    "error",
    [
        ModuleNotFoundError("no module", name="redraft.server.moved"),
        ModuleNotFoundError("no module", name="anyio"),
        ImportError("cannot import name 'run'", name="uvicorn"),
        ImportError("libssl.so: cannot open shared object file"),
    ],
)
def test_any_other_failed_import_is_not_hidden(error: ImportError) -> None:
    with pytest.raises(ImportError) as raised, needs_extra("a server", "server"):
        raise error
    assert raised.value is error


def test_a_module_that_is_there_is_not_missed() -> None:
    with needs_extra("a server", "server"):
        import_module("uvicorn")


@pytest.mark.skipif(not PROJECT.exists(), reason="the settings of the project are not beside the tests")
@pytest.mark.parametrize("extra", _MODULES)
def test_the_packages_of_each_extra_have_modules(extra: str) -> None:
    packages = tomllib.loads(PROJECT.read_text())["project"]["optional-dependencies"][extra]
    names = {re.split(r"[^\w-]", package)[0].replace("-", "_") for package in packages}
    assert names <= _MODULES[extra]
