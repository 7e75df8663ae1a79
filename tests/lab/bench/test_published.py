from __future__ import annotations

from redraft.lab.bench import published


def test_seconds_give_the_speedups_that_the_paper_states():
    speedups = published.speedups()
    assert speedups["decoding"]["suffix"] == 8.1
    assert speedups["longest_drafts"]["unlimited"] == 6.1
    assert speedups["depths, greedy"]["11+1"] == 3.8
    assert speedups["processors"]["9+3, 2 threads"]["suffix"] == 7.6
    assert len(published.EXAMPLES) == 7
