from __future__ import annotations

import pytest
from lsprotocol import types
from pytest_lsp import client_capabilities

from redraft.lsp.client import Client


@pytest.mark.parametrize(("name", "versioned"), [("visual-studio-code", True), ("neovim", False), ("emacs", True)])
def test_real_editors(name: str, versioned: bool) -> None:
    client = Client.of(client_capabilities(name))
    assert client.versioned_edits == versioned
    assert client.markdown and client.configuration


def test_an_editor_without_capabilities() -> None:
    assert Client.of(types.ClientCapabilities()) == Client()
