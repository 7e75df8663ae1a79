from __future__ import annotations

import json
from pathlib import Path

import pytest

from redraft.errors import InputError
from redraft.lab.train.curve import Curve, plot, read_curve
from redraft.lab.train.journal import LOG, Journal

EVENTS = [
    {"event": "gathered", "source": "clean"},
    {"event": "train", "step": 2, "stage": "first", "loss": 3.5},
    {"event": "train", "step": 4, "stage": "first", "loss": 9.0},
    {"event": "train", "step": 4, "stage": "first", "loss": 2.5},
    {"event": "dev", "step": 4, "stage": "first", "some.dev.f": 0.2, "some.dev.precision": 0.3, "f": 0.2},
    {"event": "stage", "step": 4, "stage": "first"},
    {"event": "train", "step": 6, "stage": "second", "loss": 2.0},
]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    (tmp_path / LOG).write_text("".join(json.dumps(event) + "\n" for event in EVENTS))
    return tmp_path


def test_losses_and_scores_are_read_and_what_was_done_twice_counts_once(run: Path) -> None:
    curve = read_curve(run)
    assert curve == Curve({2: 3.5, 4: 2.5, 6: 2.0}, {"some.dev": {4: 0.2}}, {"first": 4})
    assert read_curve(run / LOG) == curve


def test_a_journal_is_a_log(tmp_path: Path) -> None:
    with Journal(tmp_path) as journal:
        journal.record("train", 1, loss=4.0)
        assert read_curve(tmp_path).losses == {1: 4.0}


def test_a_line_that_is_being_written_is_left_aside_and_a_damaged_one_named(run: Path) -> None:
    text = (run / LOG).read_text()
    (run / LOG).write_text(text + '{"event": "tr')
    assert max(read_curve(run).losses) == 6
    (run / LOG).write_text("torn\n" + text)
    with pytest.raises(InputError, match=r"log\.jsonl:1: not a line of JSON"):
        read_curve(run)


def test_no_log_and_a_log_without_steps_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such log"):
        read_curve(tmp_path)
    (tmp_path / LOG).write_text(json.dumps(EVENTS[0]) + "\n")
    with pytest.raises(InputError, match="no step"):
        read_curve(tmp_path)


def test_a_picture_is_drawn(run: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    plot(read_curve(run), tmp_path / "deep" / "curve.png")
    assert (tmp_path / "deep" / "curve.png").read_bytes().startswith(b"\x89PNG")
