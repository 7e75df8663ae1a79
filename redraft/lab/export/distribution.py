"""Turns a model folder into a Python distribution: writes its pyproject.toml and LICENSE.

The distribution has the files of the folder and no code. An entry point in the group `redraft.models` gives the model
its name, by which `redraft.load` finds it.
"""

from __future__ import annotations

import re

from redraft.errors import InputError
from redraft.model.catalogue import GROUP
from redraft.model.folder import ModelFolder, ModelInfo

PROJECT, LICENCE_FILE = "pyproject.toml", "LICENSE"
_NAME = re.compile(r"[a-z]{2,3}(-[a-z0-9]+)*")
_SPDX = {
    "CC BY-SA 4.0": "CC-BY-SA-4.0",
    "CC BY 4.0": "CC-BY-4.0",
    "CC0": "CC0-1.0",
    "MIT": "MIT",
    "Apache 2.0": "Apache-2.0",
}
_TEXTS = {
    "CC BY-SA 4.0": "https://creativecommons.org/licenses/by-sa/4.0/legalcode",
    "CC BY 4.0": "https://creativecommons.org/licenses/by/4.0/legalcode",
    "CC0": "https://creativecommons.org/publicdomain/zero/1.0/legalcode",
}


def write_distribution(folder: ModelFolder, version: str) -> str:
    """Write the two files into the folder. Returns the name of the distribution."""
    info = folder.info
    if not _NAME.fullmatch(info.name) or info.name.partition("-")[0] != info.language.partition("-")[0].lower():
        raise InputError(
            f"{folder.path}: the model is called {info.name!r}; to be installed, a model for {info.language} must be "
            f"called {info.language} or {info.language}-something, in small letters; change `name` in its config.json"
        )
    if not info.licence:
        raise InputError(f"{folder.path}: the model has no licence; add `licence` to its config.json")
    for name in (PROJECT, LICENCE_FILE):
        if (folder.path / name).exists():
            raise InputError(f"{folder.path / name} exists already; delete it to have it written again")
    (folder.path / PROJECT).write_text(_write_project(folder, version), encoding="utf-8")
    (folder.path / LICENCE_FILE).write_text(_write_licence(info), encoding="utf-8")
    return f"redraft-model-{info.name}"


def _write_project(folder: ModelFolder, version: str) -> str:
    info = folder.info
    package = f"redraft_model_{info.name.replace('-', '_')}"
    size = f"{folder.parameters / 1e6:.1f}M weights"
    spdx = _SPDX.get(info.licence, f"LicenseRef-Redraft-Model-{info.name.title()}")
    return f"""\
# The distribution redraft-model-{info.name}: this folder as a data package.
# The code that reads it is the distribution redraft.
[build-system]
requires = ["hatchling>=1.27"]
build-backend = "hatchling.build"

[project]
name = "redraft-model-{info.name}"
version = {_quote(version)}
description = {_quote(f"Model {info.name} for Redraft: {info.summary or info.language}, {size}")}
readme = "card.md"
requires-python = ">=3.11"
license = {_quote(spdx)}
license-files = ["{LICENCE_FILE}"]
keywords = ["grammar", "correction", "model"]

[project.entry-points."{GROUP}"]
{info.name} = "{package}"

[tool.hatch.build]
include = ["*.json", "*.md", "*.onnx", "*.bloom", "*.safetensors", "{LICENCE_FILE}"]

[tool.hatch.build.targets.wheel.sources]
"" = "{package}"
"""


def _write_licence(info: ModelInfo) -> str:
    text = _TEXTS.get(info.licence)
    return f"""\
Terms of the model {info.name} of Redraft

The files of this folder (weights, graphs, tokenizer, configuration, card) may be used under this licence:

    {info.licence}{f"{chr(10)}    {text}" if text else ""}

Sources and credits are in card.md; keep it with the files. The program that reads these files is a separate work under
the MIT licence.

THE FILES ARE PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED. IN NO EVENT SHALL THE AUTHORS BE
LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY ARISING FROM THEM OR THEIR USE.
"""


def _quote(text: str) -> str:
    """A TOML string; model names and summaries have no control characters."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
