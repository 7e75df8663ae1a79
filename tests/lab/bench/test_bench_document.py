"""Timing of a keystroke in a document."""

from __future__ import annotations

from redraft.check.loading import load
from redraft.lab.bench.document import make_text, run


def test_generated_text_has_about_as_many_words_as_asked_for():
    assert 100 <= len(make_text(100).split()) < 130
    assert make_text(100) == make_text(100) != make_text(100, seed=1)


def test_every_part_is_timed(tiny_model):
    report = run(load(tiny_model.path), "markdown", words=60).to_mapping()
    assert all(report[name] > 0 for name in ("whole", "keystroke", "sentence", "unchanged", "ratio"))
