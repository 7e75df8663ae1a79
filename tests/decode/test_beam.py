"""When a beam search ends."""

from __future__ import annotations

import pytest

from redraft.decode.beam import Hypothesis, _is_decided
from redraft.errors import ConfigError


def hypothesis(log_probability: float, length: int, finished: bool = False) -> Hypothesis:
    return Hypothesis(tuple(range(length)), log_probability, finished)


def test_early_ends_of_little_probability_do_not_stop_the_search() -> None:
    ended = [hypothesis(-7.4, 8, finished=True), hypothesis(-8.5, 5, finished=True)]
    assert not _is_decided(ended, [hypothesis(-0.03, 9), hypothesis(-9.0, 9)], beams=2, penalty=1.0)


def test_the_search_stops_when_no_open_hypothesis_is_better() -> None:
    ended = [hypothesis(-0.04, 11, finished=True), hypothesis(-8.5, 5, finished=True)]
    assert _is_decided(ended, [hypothesis(-9.0, 11)], beams=2, penalty=1.0)
    assert not _is_decided(ended[:1], [hypothesis(-9.0, 11)], beams=2, penalty=1.0)


def test_a_single_beam_stops_at_its_first_end() -> None:
    assert _is_decided([hypothesis(-5.0, 3, finished=True)], [hypothesis(-0.1, 4)], beams=1, penalty=1.0)


def test_a_search_without_beams_is_refused() -> None:
    from redraft.decode.beam import beam_search

    with pytest.raises(ConfigError, match="at least one beam"):
        beam_search(None, [], None, beams=0)  # type: ignore[arg-type]
