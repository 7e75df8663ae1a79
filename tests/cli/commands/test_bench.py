from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tiny import TRAINED

from redraft.decode.drafts import POLICIES
from redraft.model.folder import ModelFolder

Run = Callable[..., Any]


@pytest.fixture
def sentences(tmp_path: Path) -> Path:
    path = tmp_path / "sentences.txt"
    path.write_text("".join(f"{source}\n\n" for source, _ in TRAINED), encoding="utf-8")
    return path


def test_every_policy_is_compared_with_greedy(redraft: Run, sentences: Path) -> None:
    outcome = redraft("bench", "identity", sentences, "--json")
    (report,) = outcome.objects
    assert outcome.code == 0
    assert report["sentences"] == len(TRAINED)
    assert report["identical"]
    assert list(report["policies"]) == list(POLICIES)
    calls = {name: count["mean_calls"] for name, count in report["policies"].items()}
    assert calls["refine"] < calls["none"]


def test_the_threshold_applies_to_greedy_and_to_every_policy(
    redraft: Run, sentences: Path, tiny_model: ModelFolder
) -> None:
    (own,) = redraft("bench", "identity", sentences, "--json").objects
    (strict,) = redraft("bench", "identity", sentences, "--threshold", 0.999999, "--json").objects
    assert own["threshold"] == tiny_model.info.threshold
    assert strict["threshold"] == 0.999999 and strict["identical"]
    # Almost no edit is that certain, so drafts, which copy the source, are accepted more often.
    assert strict["policies"]["suffix"]["mean_calls"] < own["policies"]["suffix"]["mean_calls"]


def test_a_part_may_be_chosen(redraft: Run, sentences: Path) -> None:
    (report,) = redraft("bench", "identity", sentences, "--draft", "suffix", "--sentences", 3, "--json").objects
    assert report["sentences"] == 3
    assert list(report["policies"]) == ["none", "suffix"]


def test_a_difference_is_exit_code_one(redraft: Run, sentences: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The comparison has to detect a loop that accepts every draft.
    monkeypatch.setattr("redraft.decode.loop._agreement", lambda draft, predicted: len(draft))
    outcome = redraft("bench", "identity", sentences, "--draft", "realign", "--json")
    (report,) = outcome.objects
    assert outcome.code == 1
    assert not report["identical"]
    assert report["policies"]["realign"]["differences"]


def test_an_unknown_policy_is_named(redraft: Run, sentences: Path) -> None:
    outcome = redraft("bench", "identity", sentences, "--draft", "best")
    assert outcome.code == 2
    assert "no draft policy is called 'best'" in outcome.err


def test_changes_to_correct_text_are_shown(redraft: Run, tmp_path: Path) -> None:
    correct = tmp_path / "correct.txt"
    correct.write_text("She goes to school every day.\nHe have two cat.\n", encoding="utf-8")
    (report,) = redraft("bench", "false-positives", correct, "--probes", 5, "--json").objects
    assert report["sentences"] == 2 and report["changed"] == 0.5
    assert report["changes"][0]["text"] == "He has two cats."
    assert report["strings"] > 5 and 0 <= report["altered_strings"] <= 1
    text = redraft("bench", "false-positives", correct, "--probes", 0).text
    assert "- changed: 0.5\n" in text
    assert "- source: He have two cat.\n- text: He has two cats.\n" in text


def test_sentences_that_change_again_are_counted(redraft: Run, sentences: Path) -> None:
    (report,) = redraft("bench", "stability", sentences, "--json").objects
    assert (report["sentences"], report["corrected"], report["changed_again"]) == (len(TRAINED), len(TRAINED) // 2, 0)
    assert "- changed again: 0\n" in redraft("bench", "stability", sentences).text


def test_scoring_is_timed(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("redraft.lab.bench.score.SENTENCES", 3)
    (report,) = run("bench", "score", "--json").objects
    assert report["sentences"] == 3
    assert report["corpus_seconds"] > 0


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "lower_bound.ROUNDS": 1,
        "lower_bound.SIDES": (16,),
        "startup.ROUNDS": 1,
        "latency.TYPICAL_ROUNDS": 1,
        "throughput.ROUNDS": 1,
    }.items():
        monkeypatch.setattr(f"redraft.lab.bench.{name}", value)


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.tsv"
    path.write_text("".join(f"{source}\t{target}\n" for source, target in TRAINED), encoding="utf-8")
    return path


def test_latency_is_measured(redraft: Run, pairs: Path, quick: None, tmp_path: Path) -> None:
    outcome = redraft("bench", "latency", pairs, "--setup", "onnx/fp32", "--sentences", 8, "--threads", 1, "--json")
    (printed,) = outcome.objects
    assert outcome.code == 0
    assert list(printed["latency"]["setups"]) == ["onnx/fp32"]
    command = "redraft bench latency pairs.tsv --setup onnx/fp32 --sentences 8 --model tiny --threads 1"
    assert printed["machine"]["command"] == command
    assert str(tmp_path) not in outcome.text


def test_peers_are_measured_and_a_missing_checker_is_reported(
    redraft: Run, pairs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("transformers", reason="transformers, which the extra [bench] names, is missing")
    pytest.importorskip("ctranslate2", reason="ctranslate2, which the extra [bench] names, is missing")
    monkeypatch.setattr("redraft.lab.bench.harper.shutil.which", lambda name: None)
    options = ("--sentences", 2, "--checker-sentences", 4, "--threads", 1, "--json")
    (printed,) = redraft("bench", "peers", pairs, *options).objects
    assert printed["peers"]["sentences"] == 2
    assert printed["checkers"]["sentences"] == 4
    assert printed["checkers"]["skipped"] == "node is not installed"


def test_the_paper_is_measured(redraft: Run, pairs: Path) -> None:
    options = ("--sentences", 3, "--depth-sentences", 1, "--width", 64, "--threads", 1)
    (printed,) = redraft("bench", "paper", pairs, *options, "--json").objects
    assert printed["paper"]["decoding"]["unlike_greedy"]["refine"] == 0
    assert printed["paper"]["published"]["longest_drafts"]["1"] == 1


def test_throughput_is_measured(redraft: Run, sentences: Path, quick: None) -> None:
    (printed,) = redraft("bench", "throughput", sentences, "--batch-tokens", 1, "--batch-tokens", 99, "--json").objects
    assert list(printed["throughput"]["sizes"]) == ["1", "99"]


def test_throughput_is_compared_with_other_libraries(
    redraft: Run, sentences: Path, quick: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("transformers", reason="transformers, which the extra [bench] names, is missing")
    pytest.importorskip("ctranslate2", reason="ctranslate2, which the extra [bench] names, is missing")
    monkeypatch.setattr("redraft.lab.bench.bulk_peers.ROUNDS", 1)
    options = ("--peers", "--sentences", 6, "--threads", 2, "--json")
    (printed,) = redraft("bench", "throughput", sentences, *options).objects
    figures = printed["throughput"]
    assert figures["sentences"] == 6 and figures["texts_decoded"] >= 6
    assert len(figures["methods"]) == 9
    assert all(one["sentences_per_second"] > 0 for one in figures["methods"].values())
    assert set(figures["fastest_settings"]) == {"ctranslate2, 1 thread", "ctranslate2, 2 threads"}
    assert figures["ratios"]["pipe / ctranslate2, sentences"]["clock"] > 0


def test_a_missing_package_is_named(redraft: Run, pairs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ctranslate2", None)
    outcome = redraft("bench", "peers", pairs, "--sentences", 1, "--threads", 1)
    assert outcome.code == 2
    assert "needs ctranslate2; install the extra 'bench'" in outcome.err


def test_an_error_is_one_line(redraft: Run, tmp_path: Path) -> None:
    outcome = redraft("bench", "latency", tmp_path / "missing.m2")
    assert outcome.code == 2
    assert "no such file" in outcome.err
    assert "int4" in redraft("bench", "latency", "--setup", "onnx/int4").err
