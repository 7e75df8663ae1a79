"""Spellings of two countries."""

from __future__ import annotations

import pytest

from redraft.text.dialects import Dialect, are_variants, belongs_to

PAIRS = """
colour color, Favourite favorite, honourable honorable, neighbours neighbors, behavioural behavioral, centre
center, kilometres kilometers, travelled traveled, unlabelled unlabeled, organise organize, realised realized,
organisations organizations, analyse analyze, paralysed paralyzed, dialogues dialogs, defence defense, grey
gray, programmes programs, learnt learned, Tyres tires
"""


@pytest.mark.parametrize("pair", PAIRS.split(","))
def test_variants(pair):
    british, american = pair.split()
    assert are_variants(british, american) and are_variants(american, british)
    assert belongs_to(british, Dialect.BRITISH) and not belongs_to(british, Dialect.AMERICAN)
    assert belongs_to(american, Dialect.AMERICAN) and not belongs_to(american, Dialect.BRITISH)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("colour", "colour"),
        ("colour", "colors"),
        ("four", "for"),
        ("our", "or"),
        ("caled", "called"),
        ("prise", "prize"),
        ("practice", "practise"),
        ("there", "theer"),
        ("advice", "advise"),
        ("", ""),
    ],
)
def test_errors_are_no_variants(one, other):
    assert not are_variants(one, other)
