from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tiny import TRAINED

from redraft.decode.drafts import POLICIES

Run = Callable[..., Any]


@pytest.fixture
def sentences(tmp_path: Path) -> Path:
    path = tmp_path / "sentences.txt"
    path.write_text("".join(f"{source}\n\n" for source, _ in TRAINED), encoding="utf-8")
    return path


def test_every_policy_is_compared_with_greedy(redraft: Run, sentences: Path) -> None:
    outcome = redraft("bench", "identity", sentences)
    (report,) = outcome.objects
    assert outcome.code == 0
    assert report["sentences"] == len(TRAINED)
    assert report["identical"]
    assert list(report["policies"]) == list(POLICIES)
    calls = {name: count["mean_calls"] for name, count in report["policies"].items()}
    assert calls["refine"] < calls["none"]


def test_a_part_may_be_chosen(redraft: Run, sentences: Path) -> None:
    (report,) = redraft("bench", "identity", sentences, "--policies", "suffix", "--limit", 3).objects
    assert report["sentences"] == 3
    assert list(report["policies"]) == ["none", "suffix"]


def test_a_difference_is_exit_code_one(redraft: Run, sentences: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # A loop that believes every draft is what the comparison is there to catch.
    monkeypatch.setattr("redraft.decode.loop._agreement", lambda draft, predicted: len(draft))
    outcome = redraft("bench", "identity", sentences, "--policies", "realign")
    (report,) = outcome.objects
    assert outcome.code == 1
    assert not report["identical"]
    assert report["policies"]["realign"]["differences"]


def test_an_unknown_policy_is_named(redraft: Run, sentences: Path) -> None:
    outcome = redraft("bench", "identity", sentences, "--policies", "best")
    assert outcome.code == 2
    assert "no draft policy is called 'best'" in outcome.err


def test_scoring_is_timed(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("redraft.bench.score.SENTENCES", 3)
    (report,) = run("bench", "score").objects
    assert report["sentences"] == 3
    assert report["corpus_seconds"] > 0
