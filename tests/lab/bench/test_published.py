from __future__ import annotations

from redraft.lab.bench import published


def test_seconds_give_the_speedups_that_the_paper_states():
    speedups = published.speedups()
    assert speedups["decoding"]["suffix"] == 8.1
    assert speedups["longest_drafts"]["unlimited"] == 6.1
    assert speedups["depths, greedy"]["11+1"] == 3.8
    assert speedups["processors"]["9+3, 2 threads"]["suffix"] == 7.6
    assert speedups["efficient models, NLPCC-18"]["the paper's 9+3"] == "33.0 / 20.5 / 29.4, 12.0×"
    assert len(published.EXAMPLES) == 7


def test_f_follows_from_precision_and_recall():
    """A slip of the pen in the copied figures would show here; the paper rounds all three."""
    for model in (*published.ENGLISH, *published.CHINESE):
        f = 1.25 * model.precision * model.recall / (0.25 * model.precision + model.recall)
        assert abs(f - model.f) < 0.11, model
