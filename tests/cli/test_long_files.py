"""Long files: `fix` and `check` write what they found while they read, and hold a part of the file at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from redraft.files import sections

WRONG = "She go to school every days.\nHe have two cat, and 😀 he have a dog.\n\n"
Run = Callable[..., Any]


@pytest.fixture(params=["\n", " "], ids=["paragraphs", "one line"])
def long(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "long.txt"
    text = WRONG * 120 if request.param == "\n" else WRONG.replace("\n", " ") * 120
    path.write_text(f"\ufeff{text}我们去学校。", encoding="utf-8")
    return path


@pytest.fixture
def short_sections(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("redraft.files.sections._SECTION_CHARACTERS", 500)
    monkeypatch.setattr("redraft.check.session._GROUP_CHARACTERS", 500)


@pytest.mark.parametrize(
    "command",
    [
        ("fix", "--file"),
        ("fix", "--diff", "--file"),
        ("fix", "--json", "--file"),
        ("check",),
        ("check", "--format", "json"),
        ("check", "--format", "sarif"),
        ("check", "--format", "checkstyle"),
        ("check", "--format", "github"),
    ],
    ids=" ".join,
)
def test_a_file_in_sections_gives_the_output_of_a_whole_file(
    redraft: Run, long: Path, command: tuple[str, ...], request: pytest.FixtureRequest
) -> None:
    whole = redraft(*command, long)
    assert whole.out.strip()
    request.getfixturevalue("short_sections")
    assert redraft(*command, long) == whole


def test_a_long_file_is_written_in_sections(redraft: Run, long: Path, short_sections: None) -> None:
    corrected = redraft("fix", "--file", long).out
    redraft("fix", "--write", long)
    assert long.read_bytes() == corrected


@pytest.mark.parametrize("command", ["fix", "check"])
@pytest.mark.usefixtures("short_sections")
def test_output_comes_before_the_input_ends(
    redraft: Run, long: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    events: list[str] = []
    read_pieces = sections.read_pieces

    def read(path: Path, size: int, start: int) -> Iterator[str]:
        for piece in read_pieces(path, size, start):
            events.append("read")
            yield piece

    monkeypatch.setattr("redraft.files.sections.read_pieces", read)
    monkeypatch.setattr(f"redraft.cli.commands.{command}.write", lambda text: events.append("written"))
    redraft(command, "-", stdin=long.read_bytes())
    first = events.index("written")
    assert events.count("read") > 15
    assert events[:first].count("read") < 8
    # Never more than a few pieces ahead of the output.
    written = [number for number, event in enumerate(events) if event == "written"]
    gaps = [events[one:other].count("read") for one, other in pairwise(written)]
    assert max(gaps) < 8
