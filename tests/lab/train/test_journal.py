from __future__ import annotations

import json

import pytest

from redraft.lab.train.journal import Journal


def test_events_are_lines_of_json_and_a_failure_is_one(tmp_path):
    with pytest.raises(ValueError, match="oh"), Journal(tmp_path) as journal:
        journal.record("train", 3, loss=1.5)
        raise ValueError("oh")
    first, last = map(json.loads, (tmp_path / "log.jsonl").read_text(encoding="utf-8").splitlines())
    assert (first["event"], first["step"], first["loss"]) == ("train", 3, 1.5)
    assert last["event"] == "failed" and "oh" in last["error"]


def test_progress_is_shown_now_and_then(tmp_path, capsys):
    with Journal(tmp_path) as journal:
        journal.show("one", every=100)
        journal.show("two", every=100)
        journal.say("three")
    assert capsys.readouterr().err.split() == ["one", "three"]


def test_other_processes_are_silent(capsys):
    with Journal(None) as journal:
        journal.say("hush")
        journal.record("train", 1)
    assert capsys.readouterr().err == ""
