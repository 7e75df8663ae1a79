"""Editors for the tests of the language server."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from editor import COMMAND, Editor, Start, capabilities, make_converter
from lsprotocol import types
from pytest_lsp import LanguageClient
from pytest_lsp.client import DEFAULT_CLIENT_FEATURES, register_lsp_features

from redraft.model.folder import ModelFolder


@pytest_asyncio.fixture
async def start(tiny_model: ModelFolder, tmp_path: Path) -> AsyncIterator[Start]:
    """Starts a server and an editor that talks to it; both end with the test."""
    editors: list[Editor] = []

    async def start(
        encodings: list[str] | None = None,
        options: object = None,
        settings: dict[str, Any] | None = None,
        model: str = "",
        **more: Any,
    ) -> Editor:
        client = LanguageClient(converter_factory=make_converter, configuration={"": {"redraft": settings or {}}})
        editor = Editor(client, tmp_path)
        features = {
            **DEFAULT_CLIENT_FEATURES,
            types.CLIENT_REGISTER_CAPABILITY: lambda params: None,
            types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS: partial(editor.receive),
            types.WORKSPACE_DIAGNOSTIC_REFRESH: partial(editor.refresh),
        }
        register_lsp_features(client, features)
        environment = {**os.environ, "REDRAFT_HOME": str(tmp_path / "home"), "OMP_NUM_THREADS": "1"}
        await client.start_io(*COMMAND, "--model", model or str(tiny_model.path), env=environment)
        editors.append(editor)
        answer = await client.initialize_session(
            types.InitializeParams(
                capabilities=capabilities(encodings, **more), initialization_options=options, root_uri=tmp_path.as_uri()
            )
        )
        editor.capabilities = answer.capabilities
        editor.encoding = answer.capabilities.position_encoding or "utf-16"
        return editor

    yield start
    for editor in editors:
        await editor.client.shutdown_session()
        await editor.client.stop()


@pytest.fixture
def surroundings(tiny_model: ModelFolder, tmp_path: Path) -> dict[str, str]:
    """An environment in which `redraft lsp` runs with the tiny model, for configurations from the documentation."""
    program = tmp_path / "bin" / "redraft"
    program.parent.mkdir()
    *start, lsp = COMMAND
    assert lsp == "lsp"  # which the set-up says
    model = shlex.quote(str(tiny_model.path))
    program.write_text(f'#!/bin/sh\nexec {shlex.join(start)} "$@" --model {model}\n', encoding="utf-8")
    program.chmod(0o755)
    return {
        **os.environ,
        "HOME": str(tmp_path),
        "LC_ALL": "C.UTF-8",
        "OMP_NUM_THREADS": "1",
        "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}",
        "REDRAFT_HOME": str(tmp_path / "home"),
    }


@pytest.fixture
def neovim() -> str:
    found = shutil.which("nvim")
    if found is None:
        pytest.skip("nvim is not installed; `apt-get install neovim` to run this test")
    return found


@pytest.fixture
def emacs() -> str:
    """Emacs with eglot, which is a part of it from version 29 on."""
    found = shutil.which("emacs")
    if found is None:
        pytest.skip("emacs is not installed; `apt-get install emacs-nox elpa-eglot` to run this test")
    look = '(progn (require \'package) (package-initialize) (kill-emacs (if (locate-library "eglot") 0 1)))'
    if subprocess.run([found, "--batch", "--eval", look], capture_output=True, check=False).returncode:
        pytest.skip("this emacs has no eglot; `apt-get install elpa-eglot` to run this test")
    return found
