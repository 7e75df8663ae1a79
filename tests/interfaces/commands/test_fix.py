from __future__ import annotations

import shutil
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from redraft.edits.edit import Edit, apply
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
    assert "2 bytes are not UTF-8" in outcome.err


def test_a_dash_is_stdin(redraft: Run) -> None:
    assert redraft("fix", "-", stdin=WRONG.encode()).text == RIGHT


def test_behind_two_dashes_comes_a_text(run: Run, tiny_model: ModelFolder) -> None:
    outcome = run("fix", "--min-confidence", 1, "--model", tiny_model.path, "--", "--lines")
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


@pytest.mark.parametrize("draft", ["none", "suffix", "realign", "refine"])
@pytest.mark.parametrize("engine", ["onnx", "torch"])
def test_no_option_of_speed_changes_the_answer(redraft: Run, draft: str, engine: str) -> None:
    outcome = redraft("fix", WRONG, "--draft", draft, "--engine", engine, "--max-draft", 3, "--threads", 1)
    assert outcome.text == f"{RIGHT}\n"


def test_certainty_asked_for_leaves_edits_out(redraft: Run) -> None:
    assert redraft("fix", WRONG, "--min-confidence", 1).text == f"{WRONG}\n"


def test_a_line_of_a_million_characters_is_answered(redraft: Run) -> None:
    times = 1_000_000 // len(WRONG)
    outcome = redraft("fix", "--lines", stdin=" ".join([WRONG] * times).encode())
    assert outcome.text == " ".join([RIGHT] * times)


def test_the_other_files_are_done_when_one_fails(redraft: Run, essay: Path, tmp_path: Path) -> None:
    outcome = redraft("fix", "--file", tmp_path / "missing.txt", tmp_path, essay)
    assert outcome.code == 2
    assert outcome.text.startswith(RIGHT)
    assert outcome.err == (
        f"redraft: there is no file {tmp_path}/missing.txt\nredraft: {tmp_path} is a folder; name the files in it\n"
    )


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
        (("--json", "--diff", "x"), "--json goes with neither"),
        (("two", "texts"), "give one text, in quotes"),
        ((__file__,), "add --file"),
        (("x", "--draft", "best"), "no draft policy is called 'best'"),
        (("x", "--engine", "abacus"), "no engine is called 'abacus'"),
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
