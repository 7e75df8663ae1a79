from __future__ import annotations

import sys

import pytest
from scripted import Letters, ScriptedEngine, writes
from tiny import PAIRS

from redraft.decode.loop import DecodeOptions, SourceBatch
from redraft.lab.bench import text_work
from redraft.lab.bench.text_work import STEPS, Recording, find_shares, run


def test_changed_and_unchanged_sentences_are_timed(tiny_model):
    sources, targets = [source for source, _ in PAIRS], [target for _, target in PAIRS]
    found = run(str(tiny_model.path), [*sources, *targets], rounds=1)
    assert {name: work.sentences for name, work in found.items()} == {"unchanged": 8, "changed": 8, "all": 16}
    for work in found.values():
        assert work.bulk > 0
        assert work.batches > 0
        assert set(work.shares) == set(STEPS)
        assert all(work.shares[step] > 0 for step in ("cut into sentences", "interpret the output", "place edits"))
        assert sum(work.shares.values()) <= 1


def test_outputs_are_replayed_for_the_same_source_and_limits():
    recording, engine = Recording(), ScriptedEngine(writes([5, 6]))
    batch = SourceBatch([[5], [6, 7]], Letters(), DecodeOptions(), [{}, {1: -0.5}])
    recorded = recording.record(engine, batch)
    assert recording.replay(engine, batch.select([1, 0])) == recorded[::-1]
    assert [one.calls for one in recording.without_calls().replay(engine, batch)] == [[], []]
    with pytest.raises(KeyError):
        recording.replay(engine, SourceBatch([[6, 7]], Letters(), DecodeOptions(), [{}]))


def test_work_without_any_step_has_no_shares():
    assert set(find_shares(PAIRS.__hash__).values()) == {0.0}


def test_the_command_prints_a_line_for_each_group(tiny_model, tmp_path, monkeypatch, capsys):
    file = tmp_path / "sentences.txt"
    file.write_text("".join(f"{source}\n" for source, _ in PAIRS), encoding="utf-8")
    arguments = ["text_work", str(file), "--model", str(tiny_model.path), "--rounds", "1"]
    monkeypatch.setattr(sys, "argv", arguments)
    text_work.main()
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in lines] == ["changed", "all"]


def test_a_file_that_is_missing_gives_one_line(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "argv", ["text_work", str(tmp_path / "none.txt")])
    with pytest.raises(SystemExit, match="no such file"):
        text_work.main()
