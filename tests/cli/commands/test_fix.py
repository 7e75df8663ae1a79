from __future__ import annotations

import shutil
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from redraft.edits.edit import Edit, apply
from redraft.files.destination import Destination
from redraft.model.folder import ModelFolder
from redraft.text.span import Span

WRONG, RIGHT = "She go to school every days.", "She goes to school every day."
Run = Callable[..., Any]


@pytest.fixture
def essay(tmp_path: Path) -> Path:
    path = tmp_path / "essay.txt"
    path.write_bytes(f"{WRONG}\r\n\r\nHe have two cat.".encode())
    return path


def test_a_text_is_corrected(redraft: Run) -> None:
    outcome = redraft("fix", WRONG)
    assert (outcome.code, outcome.text, outcome.err) == (0, f"{RIGHT}\n", "")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"{WRONG}\n", f"{RIGHT}\n"),
        (WRONG, RIGHT),
        (f"\ufeff{WRONG}\r\n\r\n  {WRONG}\t\r\n", f"\ufeff{RIGHT}\r\n\r\n  {RIGHT}\t\r\n"),
        ("", ""),
        (" \n\n\t", " \n\n\t"),
        ("\0\x01\x7f\n", "\0\x01\x7f\n"),
    ],
)
@pytest.mark.parametrize("options", [(), ("--lines",)])
def test_stdin_keeps_everything_but_the_errors(redraft: Run, before: str, after: str, options: tuple[str]) -> None:
    outcome = redraft("fix", *options, stdin=before.encode())
    assert (outcome.code, outcome.text) == (0, after)


@pytest.mark.parametrize("options", [(), ("--lines",)])
def test_bytes_that_are_not_utf8_survive(redraft: Run, options: tuple[str]) -> None:
    outcome = redraft("fix", *options, stdin=f"{WRONG}\n".encode() + b"caf\xe9 \xff\n")
    assert outcome.out == f"{RIGHT}\n".encode() + b"caf\xe9 \xff\n"
    assert outcome.code == 0
    assert "2 bytes not UTF-8" in outcome.err


def test_a_dash_is_stdin(redraft: Run) -> None:
    assert redraft("fix", "-", stdin=WRONG.encode()).text == RIGHT


def test_behind_two_dashes_comes_a_text(run: Run, tiny_model: ModelFolder) -> None:
    outcome = run("fix", "--threshold", 1, "--model", tiny_model.path, "--", "--lines")
    assert (outcome.code, outcome.text) == (0, "--lines\n")


def test_files_come_out_one_behind_the_other(redraft: Run, essay: Path) -> None:
    outcome = redraft("fix", "--file", essay, "-", stdin=b"I am agree with you.\n")
    assert outcome.out == f"{RIGHT}\r\n\r\nHe has two cats.I agree with you.\n".encode()


def test_write_changes_the_file_and_nothing_else(redraft: Run, essay: Path) -> None:
    essay.chmod(0o600)
    outcome = redraft("fix", "--write", essay)
    assert (outcome.code, outcome.out) == (0, b"")
    assert essay.read_bytes() == f"{RIGHT}\r\n\r\nHe has two cats.".encode()
    assert stat.S_IMODE(essay.stat().st_mode) == 0o600
    assert str(essay) in outcome.err
    untouched = essay.stat().st_mtime_ns
    assert redraft("fix", "--write", essay).err == ""
    assert essay.stat().st_mtime_ns == untouched


@pytest.mark.parametrize("options", [(), ("--lines",)])
def test_a_diff_turns_one_text_into_the_other(redraft: Run, essay: Path, options: tuple[str]) -> None:
    outcome = redraft("fix", "--file", "--diff", *options, essay)
    assert f"--- a/{str(essay).lstrip('/')}\n".encode() in outcome.out
    assert f"-{WRONG}\r\n+{RIGHT}\r\n" in outcome.text
    assert outcome.text.endswith("\\ No newline at end of file\n")
    if shutil.which("patch"):
        subprocess.run(["patch", "--binary", "--quiet", essay], input=outcome.out, check=True)
        assert essay.read_bytes() == redraft("fix", "--file", essay).out


def test_a_clean_text_has_no_diff(redraft: Run) -> None:
    assert redraft("fix", "--diff", RIGHT).out == b""


def test_json_has_the_edits(redraft: Run) -> None:
    (answer,) = redraft("fix", "--json", WRONG).objects
    assert answer["text"] == RIGHT
    edits = [Edit(Span(edit["start"], edit["end"]), edit["source"], edit["replacement"]) for edit in answer["edits"]]
    assert apply(WRONG, edits) == RIGHT
    assert all(edit["kind"] and edit["explanation"] and 0 < edit["confidence"] <= 1 for edit in answer["edits"])


def test_json_by_line_has_one_object_a_line(redraft: Run) -> None:
    first, second = redraft("fix", "--json", "--lines", stdin=f"{RIGHT}\n{WRONG}\n".encode()).objects
    assert (first["line"], first["text"], first["edits"]) == (1, f"{RIGHT}\n", [])
    assert (second["line"], second["text"]) == (2, f"{RIGHT}\n")


def test_a_dictionary_protects_its_words(redraft: Run, tmp_path: Path) -> None:
    words = tmp_path / "words.txt"
    words.write_text("go\n", encoding="utf-8")
    assert redraft("fix", WRONG, "--dictionary", words).text == "She go to school every day.\n"


@pytest.mark.parametrize("engine", ["onnx", "torch"])
def test_no_option_of_speed_changes_the_answer(redraft: Run, engine: str) -> None:
    outcome = redraft("fix", WRONG, "--engine", engine, "--threads", 1)
    assert outcome.text == f"{RIGHT}\n"


def test_certainty_asked_for_leaves_edits_out(redraft: Run) -> None:
    assert redraft("fix", WRONG, "--threshold", 1).text == f"{WRONG}\n"


def test_a_line_of_a_million_characters_is_answered(redraft: Run) -> None:
    times = 1_000_000 // len(WRONG)
    outcome = redraft("fix", "--lines", stdin=" ".join([WRONG] * times).encode())
    assert outcome.text == " ".join([RIGHT] * times)


def test_the_other_files_are_done_when_one_fails(redraft: Run, essay: Path, tmp_path: Path) -> None:
    outcome = redraft("fix", "--file", tmp_path / "missing.txt", essay)
    assert outcome.code == 2
    assert outcome.text.startswith(RIGHT)
    assert outcome.err == f"redraft: there is no file {tmp_path}/missing.txt\n"


def test_a_folder_means_the_files_in_it(redraft: Run, essay: Path, tmp_path: Path) -> None:
    (tmp_path / "picture.txt").write_bytes(b"She go\0to school")
    outcome = redraft("fix", "--write", tmp_path)
    assert outcome.code == 0
    assert essay.read_bytes() == f"{RIGHT}\r\n\r\nHe has two cats.".encode()
    left_out = f"left out 1 binary file ({tmp_path}/picture.txt)"
    assert outcome.err == f"redraft: {essay}: 4 corrections\nredraft: {left_out}\n"


def test_a_folder_of_one_word_is_none_to_see_the_diff_of(
    redraft: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "docs").mkdir()
    monkeypatch.chdir(tmp_path)
    assert redraft("fix", "docs").text == "docs\n"
    outcome = redraft("fix", "--diff", "docs")
    assert (outcome.code, outcome.text) == (2, "")
    assert outcome.err == "redraft: docs is a file or folder: add --file to correct what is in it\n"


def test_output_leaves_the_files_as_they_are(redraft: Run, essay: Path, tmp_path: Path) -> None:
    before = essay.read_bytes()
    (tmp_path / "clean.txt").write_text(RIGHT)
    for _ in range(2):  # what was written is not read
        outcome = redraft("fix", tmp_path, "--output", tmp_path / "better")
        assert (outcome.code, outcome.out) == (0, b"")
        assert sorted(path.name for path in (tmp_path / "better").rglob("*")) == ["clean.txt", "essay.txt"]
    assert (tmp_path / "better" / "essay.txt").read_bytes() == f"{RIGHT}\r\n\r\nHe has two cats.".encode()
    assert (tmp_path / "better" / "clean.txt").read_text() == RIGHT
    assert essay.read_bytes() == before


def test_markup_stays_as_it_is(redraft: Run, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"# Title\n\n* {WRONG}\n\n```\n{WRONG}\n```\n", encoding="utf-8")
    right = f"# Title\n\n* {RIGHT}\n\n```\n{WRONG}\n```\n"
    assert redraft("fix", "--file", page).text == right
    assert redraft("fix", "--file", "--input-format", "plain", page).text != right
    assert redraft("fix", "--stdin-filename", "page.md", stdin=page.read_bytes()).text == right
    assert redraft("fix", "--write", page).code == 0
    assert page.read_text(encoding="utf-8") == right


def test_a_file_that_changed_meanwhile_is_left_alone(
    redraft: Run, essay: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = Destination.write

    def change(*arguments: Any) -> None:
        essay.write_bytes(b"Somebody else wrote this.")
        write(*arguments)

    monkeypatch.setattr(Destination, "write", change)
    outcome = redraft("fix", "--write", essay)
    assert outcome.code == 2
    assert "was changed by another program" in outcome.err
    assert essay.read_bytes() == b"Somebody else wrote this."
    assert list(essay.parent.iterdir()) == [essay]


def test_one_long_file_moves_the_bar_many_times(redraft: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[float] = []
    monkeypatch.setattr("redraft.terminal.progress.Bar.__call__", lambda bar, share=1: steps.append(share))
    long = tmp_path / "long.txt"
    long.write_text(f"{WRONG}\n\n" * 300, encoding="utf-8")
    redraft("fix", "--file", long)
    assert len(steps) > 100
    assert sum(steps) == pytest.approx(1)


def test_stdin_cannot_be_changed(redraft: Run, essay: Path) -> None:
    outcome = redraft("fix", "--write", "-", essay)
    assert outcome.code == 2
    assert "--write cannot change stdin" in outcome.err
    assert essay.read_bytes().startswith(RIGHT.encode())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--write",), "--write needs files"),
        (("--write", "-"), "--write needs files"),
        (("--output", "out"), "--output needs files"),
        (("--output", "out", "--diff", "x"), "--output cannot be combined"),
        (("x", "--workers", "2"), "--workers needs --engine ray"),
        (("x", "--engine", "ray"), "--engine ray corrects files"),
        (("x", "--engine", "ray", "--write", "--diff"), "--engine ray corrects files"),
        (("x", "--engine", "ray", "--write", "--consistent"), "--consistent needs whole texts"),
        (("--json", "--diff", "x"), "--json cannot be combined"),
        (("two", "texts"), "give one text, in quotes"),
        ((__file__,), "add --file"),
        (("x", "--lines", "--input-format", "markdown"), "--lines reads every line as plain text"),
        (("x", "--input-format", "word"), "format 'word' is not known"),
        (("x", "--engine", "abacus"), "engine 'abacus' is not known"),
        (("x", "--dictionary", "nowhere.txt"), "there is no file nowhere.txt"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_two(redraft: Run, arguments: tuple[str], message: str) -> None:
    outcome = redraft("fix", *arguments)
    assert (outcome.code, outcome.out) == (2, b"")
    assert message in outcome.err
    assert outcome.err.startswith("redraft: ")
    assert outcome.err.count("\n") == 1


def test_a_damaged_model_is_refused(run: Run, tiny_model: ModelFolder, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(tiny_model.path, folder)
    weights = bytearray((folder / "weights.safetensors").read_bytes())
    weights[-1] ^= 1
    (folder / "weights.safetensors").write_bytes(weights)
    outcome = run("fix", WRONG, "--model", folder)
    assert (outcome.code, outcome.out) == (2, b"")
    assert "weights.safetensors is damaged" in outcome.err


@pytest.mark.parametrize("options", [(), ("--lines",)])
def test_unchecked_sentences_are_counted_on_stderr(redraft: Run, options: tuple[str, ...]) -> None:
    text = "I agree with you.\nОна идёт в школу.\n"
    outcome = redraft("fix", *options, stdin=text.encode())
    assert (outcome.code, outcome.text) == (0, text)
    message = "1 sentence was not checked: Cyrillic text, but only English is checked"
    assert outcome.err == f"redraft: <stdin>:2:1: {message}\n"


def test_an_unchecked_argument_is_reported(redraft: Run) -> None:
    outcome = redraft("fix", "Она идёт в школу.")
    assert outcome.err.startswith("redraft: <text>:1:1: 1 sentence was not checked: ")


@pytest.mark.parametrize(
    "command", [("check",), ("check", "--format", "github"), ("fix", "--write"), ("fix", "--file", "--diff")]
)
def test_file_names_are_no_commands_to_a_terminal(redraft: Run, tmp_path: Path, command: tuple[str, ...]) -> None:
    path = tmp_path / "\x1b[2J\x1b]0;owned\x07\n.txt"
    path.write_bytes(b"She go to school every days. \xff\n")
    outcome = redraft(*command, path, tmp_path / "missing\x1b[2J")
    assert "missing" in outcome.err
    assert "\x1b" not in outcome.err
    assert b"\x1b" not in outcome.out


@pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")
def test_a_diff_of_a_strange_name_can_be_applied(redraft: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = Path('a\x1b"\n\\.txt')
    path.write_text("She go to school every days.\n")
    outcome = redraft("fix", "--file", "--diff", path)
    subprocess.run(["git", "apply", "-"], input=outcome.out, check=True)
    assert path.read_text() == "She goes to school every day.\n"
