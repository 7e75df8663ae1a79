from __future__ import annotations

from redraft.lab.bench import published


def test_seconds_give_the_speedups_that_the_paper_states():
    seconds = published.DECODING
    assert round(seconds["beam 5"] / seconds["suffix"], 1) == 8.1
    assert round(published.LONGEST_DRAFTS[1] / published.LONGEST_DRAFTS[None], 1) == 6.1
    assert round(published.DEPTHS[6, 6] / published.DEPTHS[11, 1], 1) == 3.8
    assert len(published.EXAMPLES) == 7
