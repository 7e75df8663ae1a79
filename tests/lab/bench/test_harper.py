"""How findings are judged; harper.js itself is tested if npm has installed it before."""

from __future__ import annotations

import shutil

import platformdirs
import pytest
from tiny import TRAINED

from redraft.lab.bench import harper
from redraft.lab.bench.harper import Finding, Harper, Unavailable, install, judge, run
from redraft.lab.bench.samples import Pair
from redraft.text.span import Span

WRONG = Pair("He go to school every days.", "He goes to school every day.")
RIGHT = Pair("He is here.", "He is here.")


def test_a_finding_at_an_edit_is_detected_and_the_same_text_is_corrected():
    found = [
        Finding(Span(3, 5), ("gone", "goes")),  # detected, and corrected by its second suggestion
        Finding(Span(16, 26), ("every other day",)),  # detected, not corrected
        Finding(Span(9, 15), ("schools",)),  # outside the gold edits
    ]
    result = judge([WRONG, RIGHT], {0: found, 1: [Finding(Span(0, 2), ("She",))]})
    assert (result["edits"], result["detected"], result["corrected"]) == (2, 2, 1)
    assert (result["findings"], result["outside_gold_edits"]) == (4, 2)
    assert (result["clean_sentences"], result["clean_sentences_flagged"]) == (1, 1)


def test_where_a_change_begins_does_not_matter():
    pair = Pair("I am agree.", "I agree.")
    assert judge([pair], {0: [Finding(Span(2, 10), ("agree",))]})["corrected"] == 1
    assert judge([pair], {0: [Finding(Span(1, 4), ("",))]})["corrected"] == 1
    assert judge([pair], {0: []})["detected"] == 0


def test_a_finding_on_the_whole_sentence_counts_once():
    whole = Finding(Span(0, len(WRONG.source)), ())
    assert judge([WRONG], {0: [whole]})["detected"] == 1
    assert judge([WRONG], {0: [whole, Finding(Span(3, 5), ("goes",))]})["detected"] == 2


def test_without_node_the_report_says_so(monkeypatch, tiny_model):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(Unavailable, match="node is not installed"):
        install()
    report = run(str(tiny_model.path), [Pair(*pair) for pair in TRAINED], 1)
    assert report["skipped"] == "node is not installed"
    ours = report["checkers"]["redraft"]
    assert ours["corrected"] == ours["edits"] > 5
    assert ours["clean_sentences_flagged"] == 0


def test_a_failing_npm_is_reported(monkeypatch, tmp_path):
    monkeypatch.setattr(shutil, "which", lambda name: "false")
    monkeypatch.setattr(platformdirs, "user_cache_path", lambda name: tmp_path)
    with pytest.raises(Unavailable, match="npm could not install it"):
        install()


def test_a_checker_that_stops_is_reported(tmp_path):
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    script = tmp_path / "stops.mjs"
    script.write_text("process.exit(3)")
    checker = Harper(tmp_path, script)
    with pytest.raises(Unavailable, match="stopped"):
        checker.check("Hello.")
    checker.close()


def test_harper_finds_a_mistake(tiny_model):
    folder = platformdirs.user_cache_path("redraft") / f"harper.js-{harper.VERSION}"
    if shutil.which("node") is None or not (folder / harper._INSTALLED).is_file():
        pytest.skip("harper.js was not fetched yet; `redraft bench peers` does that")
    report = run(str(tiny_model.path), [Pair("This is an test.", "This is a test."), RIGHT], 1)
    assert report["checkers"]["harper.js"]["corrected"] == 1
    assert report["checkers"]["harper.js"]["clean_sentences_flagged"] == 0
    assert report["checkers"]["harper.js"]["megabytes"] > 0
