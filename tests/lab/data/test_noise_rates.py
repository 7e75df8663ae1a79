from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from redraft.errors import ConfigError
from redraft.lab.data.noise_rates import SHARES, NoiseRates
from redraft.lab.data.table import ErrorTable, Family


def test_a_table_overrides_the_defaults() -> None:
    rates = NoiseRates.of(ErrorTable("en", rates={"chat": 0.2}, shares={"verb": 1.0}))
    assert rates == NoiseRates(chat=0.2, shares={Family.VERB: 1.0})
    assert rates.named_shares == {"verb": 1.0}


def test_a_table_without_rates_has_none_of_the_newer_kinds() -> None:
    rates = NoiseRates.of(ErrorTable("en"))
    assert rates.shares == SHARES
    assert {rates.two_slips, rates.chat, rates.fragments, rates.strange, rates.masked, rates.drills} == {0.0}


@pytest.mark.parametrize("table", [ErrorTable("en", rates={"chta": 0.1}), ErrorTable("en", shares={"verbs": 1.0})])
def test_unknown_names_are_refused(table: ErrorTable) -> None:
    with pytest.raises(ConfigError, match="unknown"):
        NoiseRates.of(table)


@pytest.mark.parametrize(
    "wrong",
    [{"clean": 1.5}, {"mean": -0.1}, {"chat": 0.6, "masked": 0.6}, {"shares": {}}, {"shares": {Family.VERB: -1.0}}],
)
def test_rates_out_of_range_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        replace(NoiseRates(), **wrong)
