from __future__ import annotations

import io

import pytest

from redraft.interfaces.progress import progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def watch(monkeypatch: pytest.MonkeyPatch, out: io.StringIO, err: io.StringIO, writes: bool = False) -> str:
    """What stands on stderr after one step of three."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("sys.stdout", out)
    monkeypatch.setattr("sys.stderr", err)
    with progress("Reading", 3, writes) as advance:
        advance()
    return err.getvalue()


def test_a_person_sees_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = watch(monkeypatch, Terminal(), Terminal())
    assert "Reading" in seen
    assert "1/3" in seen


def test_a_file_gets_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    assert watch(monkeypatch, Terminal(), io.StringIO()) == ""


def test_a_bar_never_mixes_with_output(monkeypatch: pytest.MonkeyPatch) -> None:
    assert watch(monkeypatch, Terminal(), Terminal(), writes=True) == ""
    assert "Reading" in watch(monkeypatch, io.StringIO(), Terminal(), writes=True)
