from __future__ import annotations

import pytest

from redraft.lab.bench import lower_bound
from redraft.lab.bench.lower_bound import LowerBound, Rates, Work, count_work, measure_rates
from redraft.model.config import ModelConfig

CONFIG = ModelConfig(vocabulary=100, width=8, ffn=16, heads=2, encoder_layers=3, decoder_layers=2, max_tokens=32)
LAYER = 4 * 8 * 8 + 2 * 8 * 16


def test_work_counts_every_matrix_once_a_pass():
    source = 3 * LAYER + 2 * (2 * 8 * 8)
    target = 2 * (LAYER + 2 * 8 * 8) + 100 * 8
    work = count_work(CONFIG, "int8", 7, [7, 2])
    assert work == Work(source + 2 * target, 2 * (7 * source + 9 * target))
    assert count_work(CONFIG, "fp32", 7, [7, 2]) == Work(4 * work.bytes, work.operations)


def test_tables_of_positions_are_no_work():
    learned = ModelConfig(**{**CONFIG.to_mapping(), "positions": "learned"})
    assert count_work(learned, "int8", 5, [5]) == count_work(CONFIG, "int8", 5, [5])


def test_the_slower_of_reading_and_multiplying_is_the_bound():
    assert LowerBound(Work(10, 40), Rates(1000, 1000)).milliseconds == 40
    assert LowerBound(Work(50, 40), Rates(1000, 1000)).to_mapping()["milliseconds"] == 50


@pytest.mark.parametrize("precision", lower_bound.BYTES)
def test_rates_are_measured(monkeypatch, precision):
    monkeypatch.setattr(lower_bound, "ROUNDS", 2)
    monkeypatch.setattr(lower_bound, "SIDES", (32,))
    rates = measure_rates(1 << 16, precision, 2)
    assert rates.bytes_per_second > 0
    assert rates.operations_per_second > 0
