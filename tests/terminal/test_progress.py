from __future__ import annotations

import io

import pytest

from redraft.terminal.progress import progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def watch(monkeypatch: pytest.MonkeyPatch, out: io.StringIO, err: io.StringIO, total: int = 3) -> str:
    """What stands on stderr after one step, and half a step while stdout is written to."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("sys.stdout", out)
    monkeypatch.setattr("sys.stderr", err)
    with progress("Reading", total) as bar:
        bar()
        with bar.hidden():
            before = err.getvalue()
            bar(0.5)
            assert not out.isatty() or err.getvalue() == before
    return err.getvalue()


def test_a_person_sees_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = watch(monkeypatch, io.StringIO(), Terminal())
    assert "Reading" in seen
    assert "1/3" in seen


def test_of_one_step_parts_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("sys.stderr", screen := Terminal())
    with progress("Reading", 1) as bar:
        bar(0.25)
        bar(0.251)
    assert "50.1%" in screen.getvalue()


def test_a_bar_begins_again_with_another_title(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("sys.stderr", screen := Terminal())
    with progress("Reading", 2) as bar:
        bar(2)
        bar.restart("Scoring", 50)
        bar(7)
    before, after = screen.getvalue().split("Scoring", 1)
    assert "Reading" in before and "7/50" in after


def test_a_file_gets_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    assert watch(monkeypatch, Terminal(), io.StringIO()) == ""


def test_a_bar_never_mixes_with_output(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Reading" in watch(monkeypatch, Terminal(), Terminal())


def test_a_bar_does_not_wipe_an_open_line_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("sys.stdout", screen := Terminal())
    monkeypatch.setattr("sys.stderr", screen)
    with progress("Reading", 2) as bar:
        bar()
        with bar.hidden(comes_back=False):
            screen.write("no line end")
        bar()
    assert screen.getvalue().endswith("no line end")
