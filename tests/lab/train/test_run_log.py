from __future__ import annotations

import json
from io import StringIO

import pytest

from redraft.lab.train.run_log import RunLog


def test_events_are_lines_of_json_and_a_failure_is_one(tmp_path):
    with pytest.raises(ValueError, match="oh"), RunLog(tmp_path) as log:
        log.record("train", 3, loss=1.5)
        raise ValueError("oh")
    first, last = map(json.loads, (tmp_path / "log.jsonl").read_text(encoding="utf-8").splitlines())
    assert (first["event"], first["step"], first["loss"]) == ("train", 3, 1.5)
    assert last["event"] == "failed" and "oh" in last["error"]


def test_progress_lines_are_limited_in_time(tmp_path, capsys):
    with RunLog(tmp_path) as log:
        log.print_progress("one", every=100)
        log.print_progress("two", every=100)
        log.print("three")
    assert capsys.readouterr().err.split() == ["one", "three"]


def test_a_log_without_a_folder_does_nothing(capsys):
    with RunLog(None) as log:
        log.print("hush")
        log.record("train", 1)
    assert capsys.readouterr().err == ""


def test_a_line_that_a_killed_run_left_unfinished_is_removed(tmp_path):
    (tmp_path / "log.jsonl").write_text('{"event": "train"}\n{"event": "tr', encoding="utf-8")
    with RunLog(tmp_path) as log:
        log.record("train", 4)
    first, last = map(json.loads, (tmp_path / "log.jsonl").read_text(encoding="utf-8").splitlines())
    assert first == {"event": "train"} and last["step"] == 4


def test_lines_of_a_variant_have_its_name_on_the_terminal(tmp_path, capsys):
    terminal = StringIO()
    with RunLog(tmp_path, "v1", terminal) as log:
        log.print("step 1")
    assert terminal.getvalue() == "v1: step 1\n"
    assert capsys.readouterr().err == "step 1\n"
