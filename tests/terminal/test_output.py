from __future__ import annotations

import io

import pytest

from redraft.terminal.output import Paint, count, printable, remark


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)


def test_colour_is_for_terminals() -> None:
    assert Paint(Terminal())("x", fg="red") == "\x1b[31mx\x1b[0m"
    assert Paint(io.StringIO())("x", fg="red") == "x"


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_a_user_may_refuse_colour(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    assert Paint(Terminal())("x", fg="red") == "x"


def test_a_user_may_force_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert Paint(io.StringIO()).enabled


def test_one_is_no_plural() -> None:
    assert [count(number, "file") for number in (0, 1, 1200)] == ["0 files", "1 file", "1,200 files"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("naïve café 今天\u3000天气 👩\u200d🚀", "naïve café 今天\u3000天气 👩\u200d🚀"),
        ("\x1b[2J\x1b]0;title\x07.txt", r"\x1b[2J\x1b]0;title\x07.txt"),
        ("two\nlines\r", r"two\nlines\r"),
        ("\x7f\x9b31m", r"\x7f\x9b31m"),
        ("a\u202etxt.exe\u2028", r"a\u202etxt.exe\u2028"),
        ("caf\udce9 \ud800", r"caf\xe9 \ud800"),
    ],
)
def test_control_characters_are_escaped(text: str, shown: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert printable(text) == shown
    remark(text)
    assert capsys.readouterr().err == f"redraft: {shown}\n"
