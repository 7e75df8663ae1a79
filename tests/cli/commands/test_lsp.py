from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest

Run = Callable[..., Any]


def test_the_help_says_who_starts_it(run: Run) -> None:
    assert "Editors start it" in run("lsp", "--help").text


def test_an_editor_that_hangs_up_ends_it(run: Run) -> None:
    done = run("lsp", "--stdio", stdin=b"")
    assert (done.code, done.out) == (0, b"")


def test_without_the_extra_it_says_what_to_install(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pygls.lsp.server", None)
    monkeypatch.delitem(sys.modules, "redraft.lsp.server", raising=False)
    done = run("lsp")
    assert done.code == 2
    assert "install the extra 'lsp'" in done.err
