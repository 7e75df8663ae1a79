from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from redraft.errors import ConfigError, InputError
from redraft.lab.evaluate.gleu import Options, metric, score
from redraft.lab.evaluate.score import read_sentences

sentences = st.lists(st.sampled_from("abcdef"), min_size=4, max_size=8).map(" ".join)


@given(st.lists(sentences, min_size=1, max_size=4))
def test_a_reference_against_itself_is_perfect(lines: list[str]) -> None:
    assert score(lines, ["z z z z"] * len(lines), [lines]).gleu == pytest.approx(1.0)


@given(st.lists(st.tuples(sentences, sentences, sentences, sentences), min_size=1, max_size=4))
def test_scores_are_between_0_and_1(rows: list[tuple[str, str, str, str]]) -> None:
    hypotheses, sources, first, second = (list(column) for column in zip(*rows, strict=True))
    report = score(hypotheses, sources, [first, second], Options(draws=20))
    assert 0 <= report.gleu <= 1
    assert all(0 <= value <= 1 for value in report.sentences)


def test_counts_by_hand() -> None:
    report = score(["the cat sat here now"], ["a cat sat here now"], [["the cat sits here now"]])
    length, reference, *matches = report.statistics[0, 0].tolist()
    # unigrams: the cat here now match, less sat, which the reference dropped; bigrams: "the cat" and "here now"
    # match, less "cat sat" and "sat here"; nothing longer matches.
    assert (length, reference) == (5, 5)
    assert matches == [3, 5, 0, 4, 0, 3, 0, 2]


def test_ngrams_of_the_source_alone_reduce_the_score() -> None:
    source, reference = ["he go to the school today"], [["he goes to school today now"]]
    changed = score(["he goes to the school today"], source, reference)
    unchanged = score(source, source, reference)
    assert changed.sentences[0] > unchanged.sentences[0]


def test_a_short_hypothesis_has_a_brevity_penalty() -> None:
    sums = np.array([4.0, 8.0, 4.0, 4.0, 3.0, 3.0, 2.0, 2.0, 1.0, 1.0])
    assert float(metric(sums)) == pytest.approx(math.exp(1 - 8 / 4))


def test_any_count_of_zero_makes_the_corpus_score_zero() -> None:
    assert score(["a b"], ["a b"], [["a b"]]).gleu == 0.0


def test_one_reference_has_no_deviation() -> None:
    lines = ["a b c d e", "b c d e f"]
    report = score(["a b c d f", "b c d e e"], lines, [lines])
    assert report.deviation == pytest.approx(0.0)
    assert report.gleu == pytest.approx(float(metric(report.statistics.sum(axis=(0, 1)))))


def test_references_are_drawn_as_the_authors_program_draws_them() -> None:
    """Python 2 draws the references 3, 3, 1, 1 of four for the first four sentences of the first draw."""
    lines = ["a b c d e"] * 4
    references = [["v w x y z"] * 4, lines, ["v w x y z"] * 4, lines]
    assert score(lines, ["q q q q q"] * 4, references, Options(draws=1)).gleu == pytest.approx(1.0)


def test_bad_input_is_named() -> None:
    with pytest.raises(InputError, match="at least one file of references"):
        score(["a"], ["a"], [])
    with pytest.raises(InputError, match="reference 2:1: ends here, but hypotheses has 2"):
        score(["a", "b"], ["a", "b"], [["a", "b"], ["a"]])
    with pytest.raises(ConfigError):
        Options(draws=0)


def test_the_published_figure_of_the_jfleg_source(shared_data: Path) -> None:
    folder = shared_data / "en" / "dev" / "jfleg"
    source = read_sentences(folder / "dev.src")
    references = [read_sentences(folder / f"dev.ref{number}") for number in range(4)]
    assert round(100 * score(source, source, references).gleu, 2) == 38.21
