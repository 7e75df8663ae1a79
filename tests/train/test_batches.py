from __future__ import annotations

from itertools import cycle, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from redraft.errors import InputError
from redraft.tokens.tokenizer import BOS, EOS, PAD
from redraft.train.batches import Encoded, Layout, Packer, changed_tokens

ids = st.lists(st.integers(3, 50), min_size=1, max_size=25)


def fill(pairs: list[tuple[list[int], list[int]]], layout: Layout, weight: float = 1.0):
    endless = (Encoded(source, target, (number,)) for number, (source, target) in enumerate(cycle(pairs), 1))
    packer, unit = Packer(layout, endless, weight), np.full(layout.size, -1, dtype=np.int32)
    return packer, unit, packer.fill(unit)


@given(st.lists(st.tuples(ids, ids), min_size=1, max_size=20))
def test_sentences_can_be_read_back_and_every_slot_is_covered(pairs):
    layout = Layout(64, 20)
    if all(max(len(source), len(target)) + 1 > layout.longest for source, target in pairs):
        return
    _, unit, report = fill(pairs, layout)
    fitting = [pair for pair in pairs if max(map(len, pair)) + 1 <= layout.longest]
    for name, side in (("source", 0), ("target", 1)):
        offsets = layout.field(unit, f"{name}_offsets")
        assert offsets[0] == 0 and offsets[-1] == layout.tokens
        assert (np.diff(offsets) >= 0).all() and np.diff(offsets).max() <= layout.longest
        found = layout.field(unit, "source_ids" if name == "source" else "labels")
        for number in range(report.pairs):
            expected = [*fitting[number % len(fitting)][side], EOS]
            assert found[offsets[number] : offsets[number + 1]].tolist() == expected
        positions = layout.field(unit, f"{name}_positions")
        expected_positions = [place for length in np.diff(offsets) for place in range(length)]
        assert positions.tolist() == expected_positions


@given(st.lists(st.tuples(ids, ids), min_size=1, max_size=20), st.sampled_from([1.0, 3.0]))
def test_the_decoder_reads_what_it_wrote_one_place_later(pairs, weight):
    layout = Layout(80, 26)
    _, unit, report = fill(pairs, layout, weight)
    inputs, labels = layout.field(unit, "target_ids"), layout.field(unit, "labels")
    offsets, weights = layout.field(unit, "target_offsets"), layout.weights(unit)
    for start, end in pairwise(offsets[: report.pairs + 1]):
        assert inputs[start] == BOS
        assert inputs[start + 1 : end].tolist() == labels[start : end - 1].tolist()
    assert (weights[: report.tokens] >= 1).all()
    assert not weights[report.tokens :].any() and (labels[report.tokens :] == PAD).all()


def test_a_pair_that_does_not_fit_opens_the_next_unit():
    layout = Layout(10, 10)
    packer, unit, first = fill([([5] * 5, [5] * 5), ([6] * 4, [6] * 4)], layout)
    second = packer.fill(unit)
    assert (first.pairs, first.state) == (1, (1,))
    assert (second.pairs, second.state) == (1, (2,))
    assert layout.field(unit, "source_ids")[:5].tolist() == [6, 6, 6, 6, EOS]


def test_too_long_and_empty_sentences_are_counted(monkeypatch):
    layout = Layout(10, 5)
    _, _, report = fill([([5] * 9, [5]), ([], [5]), ([7], [7])], layout)
    assert report.pairs > 0 and report.skipped >= 2
    monkeypatch.setattr("redraft.train.batches.MOST_SKIPPED", 10)
    with pytest.raises(InputError, match="longest"):
        fill([([5] * 9, [5] * 9)], layout)


def test_what_was_changed_and_what_follows_it_counts_more():
    assert changed_tokens([7, 8, 9], [7, 8, 9]) == [False] * 4
    assert changed_tokens([7, 8, 9], [7, 6, 9]) == [False, True, True, False]
    assert changed_tokens([7, 8, 9], [7, 9]) == [False, True, False]
    assert changed_tokens([7, 9], [7, 8, 9]) == [False, True, True, False]
