from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from redraft.edits.m2 import M2Edit
from redraft.errors import ConfigError, InputError
from redraft.lab.evaluate.score import (
    Counts,
    Report,
    Resampling,
    SentenceScore,
    TokenEdit,
    bootstrap,
    check_lengths,
    compare,
    fingerprint,
    read_sentences,
    sign,
)


def outcome(correct: int, proposed: int, gold: int) -> SentenceScore:
    return SentenceScore(0, Counts(correct, proposed, gold), (), (), (), ())


def report(*rows: tuple[int, int, int]) -> Report:
    return Report(0.5, tuple(outcome(*row) for row in rows))


def test_the_annotator_that_ranks_highest_is_chosen() -> None:
    def rank(running: Counts, counts: Counts, beta: float) -> tuple[float, int]:
        return (running + counts).f(beta), counts.gold

    advanced: list[int] = []
    first, second = [outcome(0, 1, 1), outcome(1, 1, 1)], [outcome(0, 0, 0), outcome(0, 0, 3), outcome(0, 0, 0)]
    chosen = Report.choose([first, second], rank, 0.5, lambda: advanced.append(1))
    assert [sentence.counts for sentence in chosen.sentences] == [Counts(1, 1, 1), Counts()]
    assert chosen.sentences[1] is second[0]  # the first of equals
    assert len(advanced) == 2
    # With nothing right before it, the last sentence would be ranked by its gold edits.
    alone = Report.choose([first[:1], second], rank, 0.5, lambda: None)
    assert alone.sentences[1] is second[1]


def test_precision_recall_and_f() -> None:
    counts = Counts(correct=3, proposed=4, gold=6)
    assert (counts.precision, counts.recall) == (0.75, 0.5)
    assert counts.f(1.0) == pytest.approx(0.6)
    assert counts.f(0.5) == pytest.approx(1.25 * 0.375 / (0.25 * 0.75 + 0.5))


@pytest.mark.parametrize(("counts", "f"), [(Counts(), 1.0), (Counts(0, 0, 3), 0.0), (Counts(0, 3, 0), 0.0)])
def test_f_where_there_is_nothing_to_divide_by(counts: Counts, f: float) -> None:
    assert counts.f(0.5) == f


small = st.integers(0, 5)
rows = st.lists(st.tuples(small, small, small).map(lambda r: (min(r), r[1], r[2])), min_size=1, max_size=8)


@given(rows)
def test_the_metric_of_many_sums_is_the_f_of_each(counts: list[tuple[int, int, int]]) -> None:
    one = report(*counts)
    assert one.metric(one.statistics().sum(axis=0))[0] == pytest.approx(one.f)


@given(rows)
def test_a_sample_without_spread_has_an_interval_without_width(counts: list[tuple[int, int, int]]) -> None:
    one = report(*[counts[0]] * 4)
    interval = bootstrap(one.statistics(), one.metric, Resampling(samples=20))
    assert interval.low == pytest.approx(one.f)
    assert interval.high == pytest.approx(one.f)


def test_an_interval_holds_the_score_and_the_same_seed_draws_the_same() -> None:
    one = report(*[(1, 1, 1), (0, 1, 1), (0, 0, 1), (1, 2, 1)] * 10)
    first = bootstrap(one.statistics(), one.metric, Resampling(samples=200))
    assert first.low < one.f < first.high
    assert first == bootstrap(one.statistics(), one.metric, Resampling(samples=200))
    assert first != bootstrap(one.statistics(), one.metric, Resampling(samples=200, seed=1))


def test_equal_systems_do_not_differ_and_unequal_ones_do() -> None:
    good, bad = report(*[(1, 1, 1)] * 40), report(*[(0, 1, 1)] * 40)
    same = compare(good.statistics(), good.statistics(), good.metric, Resampling(samples=100))
    assert (same.difference, same.p_value) == (0.0, 1.0)
    better = compare(good.statistics(), bad.statistics(), good.metric, Resampling(samples=100))
    assert better.difference == 1.0
    assert better.p_value == pytest.approx(1 / 101)


def test_swapping_the_systems_negates_the_difference() -> None:
    one, other = report(*[(1, 1, 1), (0, 1, 2)] * 9), report(*[(1, 2, 1), (1, 1, 2)] * 9)
    there = compare(one.statistics(), other.statistics(), one.metric, Resampling(samples=50))
    back = compare(other.statistics(), one.statistics(), one.metric, Resampling(samples=50))
    assert there.difference == pytest.approx(-back.difference)
    assert there.p_value == back.p_value


def test_systems_on_different_sentences_are_not_compared() -> None:
    with pytest.raises(InputError, match="same sentences"):
        one = report((1, 1, 1))
        compare(one.statistics(), np.zeros((2, 1, 3)), one.metric, Resampling())


def test_kinds_are_counted_by_the_annotator_and_by_the_system() -> None:
    gold = (M2Edit(0, 1, "SVA", ("is",)), M2Edit(2, 3, "SVA", ("was",)), M2Edit(4, 4, "Prep", ("of",)))
    proposed = (TokenEdit(0, 1, "are", "is", "agreement"), TokenEdit(3, 4, "x", "y"))
    sentence = SentenceScore(0, Counts(1, 2, 3), proposed, (True, False), gold, (True, False, False))
    both = Report(0.5, (sentence, sentence))
    by_gold = {kind: (tally.correct, tally.total) for kind, tally in both.recall_by_kind().items()}
    assert by_gold == {"SVA": (2, 4), "Prep": (0, 2)}
    assert list(by_gold) == ["SVA", "Prep"]
    by_system = {kind: (tally.correct, tally.total) for kind, tally in both.precision_by_kind().items()}
    assert by_system == {"agreement": (2, 2)}


def test_an_edit_is_trimmed_to_what_it_changes() -> None:
    assert TokenEdit(3, 6, "the cat sat", "the dog sat").trimmed() == TokenEdit(4, 5, "cat", "dog")
    assert TokenEdit(0, 2, "a a", "a a a").trimmed() == TokenEdit(2, 2, "", "a")
    assert TokenEdit(1, 2, "x", "").trimmed() == TokenEdit(1, 2, "x", "")


def test_a_mismatch_of_lines_names_both_files_and_the_line() -> None:
    with pytest.raises(InputError, match=r"hyp\.txt:2: ends here, but gold\.m2 has 3 sentences"):
        check_lengths([1, 2], "hyp.txt", [1, 2, 3], "gold.m2")


def test_an_empty_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "empty.txt"
    path.touch()
    with pytest.raises(InputError, match=r"empty\.txt: the file is empty"):
        read_sentences(path)


def test_resampling_refuses_nonsense() -> None:
    with pytest.raises(ConfigError):
        Resampling(samples=0)
    with pytest.raises(ConfigError):
        Resampling(level=1.0)


def test_a_signature_names_scorer_options_and_data(tmp_path: Path) -> None:
    @dataclass(frozen=True)
    class Options:
        beta: float = 0.5

    path = tmp_path / "gold"
    path.write_text("one")
    first = sign("m2", "1", Options(), {"gold": [path]})
    assert first == f"m2:1|beta:0.5|gold:{fingerprint([path])}"
    path.write_text("two")
    assert sign("m2", "1", Options(), {"gold": [path]}) != first
    with pytest.raises(InputError, match="missing: cannot be read"):
        fingerprint([tmp_path / "missing"])
