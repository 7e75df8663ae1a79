from __future__ import annotations

import pytest

from redraft.lab.train.progress_lines import SECONDS_BETWEEN, CountProgress, ProgressLines


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_lines_are_limited_in_time() -> None:
    clock, written = Clock(), list[str]()
    lines = ProgressLines(written.append, clock)
    for second in (0, 1, 2, 3, 4, 9):
        clock.now = second
        lines.print(str(second), every=3)
    assert written == ["0", "3", "9"]


def test_a_count_says_how_far_it_is_and_how_fast(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    advance = CountProgress("pairs", 65_247, clock)
    clock.now = 2
    advance(64)
    clock.now += SECONDS_BETWEEN / 2
    advance(64)
    clock.now += SECONDS_BETWEEN / 2
    advance(2_872)
    assert capsys.readouterr().err.splitlines() == [
        "64 of 65,247 pairs, 32 a second",
        "3,000 of 65,247 pairs, 250 a second",
    ]
