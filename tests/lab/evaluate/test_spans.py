from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redraft.edits.m2 import M2Edit, M2Sentence, read
from redraft.errors import ConfigError, InputError
from redraft.lab.evaluate.score import Counts, TokenEdit, read_sentences
from redraft.lab.evaluate.spans import Options, count, extract, score

tokens = st.lists(st.sampled_from(["a", "the", "cat", "cats", "do", "n't", "don't", ",", ".", "x-y", "é"]), max_size=8)


def gold(source: str, *edits: tuple[int, int, str]) -> M2Sentence:
    gold_edits = tuple(M2Edit(start, end, "X", tuple(text.split("||"))) for start, end, text in edits)
    return M2Sentence(tuple(source.split()), gold_edits)


@given(tokens, tokens)
def test_edits_are_whole_tokens_that_make_the_target(source: list[str], target: list[str]) -> None:
    edits = extract(source, target)
    gold_edits = tuple(M2Edit(edit.start, edit.end, "X", (edit.replacement,)) for edit in edits)
    assert list(M2Sentence(tuple(source), gold_edits).corrected()) == target
    for edit in edits:
        assert edit.source == " ".join(source[edit.start : edit.end])
        assert edit.source != edit.replacement


def test_edits_have_redrafts_kinds() -> None:
    (edit,) = extract(["She", "go", "home", "."], ["She", "goes", "home", "."])
    assert (edit.start, edit.end, edit.source, edit.replacement, edit.kind) == (1, 2, "go", "goes", "agreement")


def test_tokens_that_come_apart_are_one_edit() -> None:
    (edit,) = extract(["I", "ca", "n't"], ["I", "can't"])
    assert (edit.start, edit.end, edit.replacement) == (1, 3, "can't")


def test_span_and_correction_must_agree() -> None:
    sentence = gold("He have red car .", (1, 2, "has"), (2, 2, "a||the"))
    assert score(["He has a red car ."], [sentence]).counts == Counts(2, 2, 2)
    assert score(["He had the red car ."], [sentence]).counts == Counts(1, 2, 2)


def test_errors_without_a_correction_do_not_count() -> None:
    unknown = M2Sentence(("a", "b"), (M2Edit(0, 1, "UNK", ("",)),))
    assert score(["a b"], [unknown]).counts == Counts(0, 0, 0)


def test_a_gold_edit_written_twice_is_found_twice() -> None:
    twice = gold("a b", (0, 1, "x"), (0, 1, "x"))
    assert count([(TokenEdit(0, 1, "a", "x"),)], [twice]).counts == Counts(2, 2, 2)


def test_the_best_annotator_is_chosen_for_each_sentence() -> None:
    edits = (M2Edit(0, 1, "X", ("x",), annotator=0), M2Edit(0, 1, "X", ("y",), annotator=1))
    sentence = M2Sentence(("a", "b"), edits)
    report = count([(TokenEdit(0, 1, "a", "y"),), (TokenEdit(0, 1, "a", "x"),)], [sentence, sentence])
    assert [outcome.annotator for outcome in report.sentences] == [1, 0]
    assert report.f == 1.0


def test_a_mismatch_of_lines_is_refused() -> None:
    with pytest.raises(InputError, match="ends here"):
        score(["a", "b"], [gold("a")])


def test_beta_out_of_range_is_refused() -> None:
    with pytest.raises(ConfigError):
        Options(beta=0)


@pytest.mark.parametrize(("system", "errant"), [("lowresource", 0.4495), ("restricted", 0.53)])
def test_figures_on_bea19_are_near_those_of_errant(shared_data: Path, system: str, errant: float) -> None:
    lines = read_sentences(shared_data / "en" / "scorer" / f"bea19dev.{system}.out")
    report = score(lines, list(read(shared_data / "en" / "dev" / "bea19.dev.m2")))
    assert report.counts.gold == 7461
    assert abs(report.f - errant) < 0.015
