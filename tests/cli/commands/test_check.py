from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

WRONG = "He have two cat."
Run = Callable[..., Any]


@pytest.fixture
def wrong(tmp_path: Path) -> Path:
    path = tmp_path / "wrong.txt"
    path.write_text(f"\ufeffI agree with you.\r\n{WRONG}\r\n", encoding="utf-8", newline="")
    return path


@pytest.fixture
def clean(tmp_path: Path) -> Path:
    path = tmp_path / "clean.txt"
    path.write_text("I agree with you.\n", encoding="utf-8")
    return path


def test_findings_have_their_place_and_reason(redraft: Run, wrong: Path, clean: Path) -> None:
    outcome = redraft("check", clean, wrong)
    assert outcome.code == 1
    first, second = outcome.text.splitlines()
    assert first.startswith(f"{wrong}:2:4: agreement: “have” → “has”. ")
    assert second.startswith(f"{wrong}:2:13: ")
    assert "“cat” → “cats”" in second


def test_a_clean_file_has_no_findings(redraft: Run, clean: Path) -> None:
    outcome = redraft("check", clean)
    assert (outcome.code, outcome.out, outcome.err) == (0, b"", "")


def test_unchecked_sentences_are_counted_on_stderr(redraft: Run, clean: Path, tmp_path: Path) -> None:
    russian = tmp_path / "russian.txt"
    russian.write_text("I agree with you.\n\nYes. Она идёт в школу.\n\nОн тоже.\n", encoding="utf-8")
    outcome = redraft("check", clean, russian)
    assert (outcome.code, outcome.out) == (0, b"")
    summary = "2 sentences were not checked: Cyrillic text, but only English is checked"
    assert outcome.err == f"redraft: {russian}:3:6: {summary}\n"


def test_json_slices_back(redraft: Run, wrong: Path) -> None:
    outcome = redraft("check", "--format", "json", wrong)
    assert outcome.code == 1
    (file,) = json.loads(outcome.out)["files"]
    text = wrong.read_bytes().decode("utf-8-sig")
    assert file["file"] == str(wrong)
    assert [text[finding["start"] : finding["end"]] for finding in file["findings"]] == ["have", "cat"]


def test_alternatives_begin_with_the_own_replacement(redraft: Run, wrong: Path) -> None:
    outcome = redraft("check", "--format", "json", "--alternatives", wrong)
    (file,) = json.loads(outcome.out)["files"]
    assert [one["alternatives"][0]["replacement"] for one in file["findings"]] == ["has", "cats"]


def test_stdin_is_a_file_called_dash(redraft: Run) -> None:
    outcome = redraft("check", "-", stdin=WRONG.encode())
    assert outcome.code == 1
    assert outcome.text.startswith("<stdin>:1:4: ")


def test_stdin_may_go_by_a_name(redraft: Run) -> None:
    outcome = redraft("check", "-", "--stdin-filename", "notes/page.md", stdin=f"`{WRONG}`\n\n{WRONG}".encode())
    assert outcome.text.startswith("notes/page.md:3:4: ")


def test_a_failure_counts_more_than_findings(redraft: Run, wrong: Path, tmp_path: Path) -> None:
    outcome = redraft("check", tmp_path / "missing.txt", wrong)
    assert outcome.code == 2
    assert "there is no file" in outcome.err
    assert "wrong.txt:2:4" in outcome.text


def test_failures_stand_in_the_report_where_their_files_would(redraft: Run, wrong: Path, tmp_path: Path) -> None:
    arguments = [tmp_path / "first.txt", wrong, tmp_path / "last.txt"]
    files = json.loads(redraft("check", "--format", "json", *arguments).out)["files"]
    assert [Path(file["file"]).name for file in files] == ["first.txt", "wrong.txt", "last.txt"]
    assert ["failure" in file for file in files] == [True, False, True]


def test_an_unknown_format_names_the_known_ones(redraft: Run, clean: Path) -> None:
    outcome = redraft("check", clean, "--format", "xml")
    assert outcome.code == 2
    assert outcome.err == ("redraft: --format 'xml' is not known; there are text, json, github, sarif, checkstyle\n")


def test_no_file_is_a_mistake(redraft: Run) -> None:
    outcome = redraft("check")
    assert outcome.code == 2
    assert "FILE" in outcome.err


def test_a_folder_is_searched(redraft: Run, wrong: Path, clean: Path, tmp_path: Path) -> None:
    (tmp_path / "deep" / "er").mkdir(parents=True)
    (tmp_path / "deep" / "er" / "more.txt").write_text(WRONG)
    (tmp_path / "picture.txt").write_bytes(b"\x89PNG\0")
    (tmp_path / "table.xyz").write_text(WRONG)
    outcome = redraft("check", tmp_path)
    assert outcome.code == 1
    names = {line.split(":")[0] for line in outcome.text.splitlines()}
    assert names == {str(wrong), str(tmp_path / "deep" / "er" / "more.txt")}
    binary = f"1 binary file ({tmp_path}/picture.txt)"
    assert outcome.err == f"redraft: left out {binary} and 1 file that is no text to read (see --include)\n"


def test_nothing_chosen_is_said_so(redraft: Run, tmp_path: Path) -> None:
    outcome = redraft("check", tmp_path)
    assert (outcome.code, outcome.err) == (0, "redraft: there is nothing to check: no file was selected\n")


def test_many_files_share_decoder_calls(redraft: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from redraft.check.solver import SentenceSolver

    sizes: list[int] = []
    decode = SentenceSolver._decode

    def counting(solver: SentenceSolver, engine: Any, batch: Any, threshold: float) -> None:
        sizes.append(len(batch))
        decode(solver, engine, batch, threshold)

    monkeypatch.setattr(SentenceSolver, "_decode", counting)
    for number in range(200):
        (tmp_path / f"{number:03}.txt").write_text(f"{WRONG} It is day {number} of the year.\n")
    outcome = redraft("check", tmp_path)
    assert len(outcome.text.splitlines()) == 400
    assert sum(sizes) == 202  # the corrected sentence is decoded once more
    assert len(sizes) - 1 < 30  # without the second pass of the corrected sentence


@pytest.mark.parametrize(
    ("options", "kinds"),
    [
        (["--kind", "agreement"], ["agreement"]),
        (["--ignore", "agreement"], ["noun-number"]),
        (["--ignore", "REDRAFT_AGREEMENT"], ["noun-number"]),
        (["--ignore", "have", "--ignore", "cat"], []),
        (["--threshold", "1"], ["agreement"]),  # by a rule
        (["--language", "en"], ["agreement", "noun-number"]),
        (["--exclude", "wr*"], []),
    ],
)
def test_findings_are_chosen(redraft: Run, wrong: Path, options: list[str], kinds: list[str]) -> None:
    outcome = redraft("check", wrong, *options)
    assert [line.split(": ")[1] for line in outcome.text.splitlines()] == kinds
    assert outcome.code == bool(kinds)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--kind", "agrement"], "kind 'agrement' is not known; did you mean 'agreement'?"),
        (["--ignore", "REDRAFT_AGREEMNT"], "rule 'REDRAFT_AGREEMNT' is not known; did you mean 'REDRAFT_AGREEMENT'?"),
        (["--input-format", "markdwn"], "format 'markdwn' is not known; did you mean 'markdown'?"),
        (["--language", "fr"], "there is no model for 'fr', only for 'en'"),
        (["--config", "nowhere.toml"], "there is no file nowhere.toml"),
        (["--config", "x.toml", "--isolated"], "--isolated uses no settings file"),
    ],
)
def test_a_mistake_is_one_line(redraft: Run, clean: Path, options: list[str], message: str) -> None:
    outcome = redraft("check", clean, *options)
    assert (outcome.code, outcome.out) == (2, b"")
    assert outcome.err.startswith(f"redraft: {message}")
    assert outcome.err.count("\n") == 1


def test_the_project_decides_and_the_command_line_overrules(redraft: Run, wrong: Path, tmp_path: Path) -> None:
    (tmp_path / "redraft.toml").write_text('kind = ["agreement"]\nignore = ["cat"]\n')
    assert len(redraft("check", wrong).text.splitlines()) == 1
    assert "“have”" in redraft("check", wrong).text
    assert redraft("check", wrong, "--kind", "noun-number").code == 0
    assert len(redraft("check", wrong, "--isolated").text.splitlines()) == 2


def test_words_of_the_person_and_the_project_count(
    run: Run, redraft: Run, wrong: Path, tmp_path: Path, home: Path
) -> None:
    (home / "words.txt").write_text("have\n")
    (tmp_path / ".redraft").mkdir()
    (tmp_path / ".redraft" / "words.txt").write_text("cat\n")
    assert redraft("check", wrong).code == 0
    assert redraft("check", wrong, "--isolated").code == 1


def test_possible_errors_are_listed_on_request_and_are_no_failure(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "doubt.txt"
    path.write_text("She make her homework.\n", encoding="utf-8")
    assert run("check", path, "--model", "en").text == ""
    outcome = run("check", "--possible-errors", "--alternatives", path, "--model", "en")
    assert outcome.code == 0
    assert outcome.text.startswith(f"{path}:1:5: possible word-choice: “make” → “did” or “do” or “does”. ")
    assert run("fix", "She make her homework.", "--model", "en").text == "She make her homework.\n"
