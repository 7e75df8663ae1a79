from __future__ import annotations

from itertools import cycle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from redraft.errors import ConfigError, InputError
from redraft.lab.train.packing import DrawnPair, Layout, Packer, arrange, changed_tokens
from redraft.tokens.tokenizer import BOS, EOS, PAD

ids = st.lists(st.integers(3, 50), min_size=1, max_size=25)


def fill(pairs: list[tuple[list[int], list[int]]], layout: Layout, weight: float = 1.0):
    endless = (DrawnPair(source, target, (number,)) for number, (source, target) in enumerate(cycle(pairs), 1))
    packer, pack = Packer(layout, endless, weight), np.full(layout.size, -1, dtype=np.int32)
    return packer, pack, packer.fill(pack)


def windows_of(layout: Layout, pack: np.ndarray, name: str) -> np.ndarray:
    return layout.field(pack, name).reshape(-1, layout.window)


def read_back(layout: Layout, pack: np.ndarray) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """The pairs of a pack, each with its <eos>, window by window."""
    sides = {name: windows_of(layout, pack, name) for name in layout.fields}

    def sentence(ids: str, segments: str, window: int, segment: int) -> tuple[int, ...]:
        return tuple(sides[ids][window][sides[segments][window] == segment].tolist())

    return [
        (
            sentence("source_ids", "source_segments", window, segment),
            sentence("labels", "target_segments", window, segment),
        )
        for window in range(layout.tokens // layout.window)
        for segment in range(1, sides["source_segments"][window].max() + 1)
    ]


@given(st.lists(st.tuples(ids, ids), min_size=1, max_size=20))
def test_the_pairs_of_the_stream_can_be_read_back(pairs):
    layout = Layout(64, 20)
    fitting = [pair for pair in pairs if max(map(len, pair)) + 1 <= layout.max_length]
    if not fitting:
        return
    _, pack, report = fill(pairs, layout)
    expected = [fitting[number % len(fitting)] for number in range(report.pairs)]
    assert sorted(read_back(layout, pack)) == sorted((((*s, EOS), (*t, EOS)) for s, t in expected))
    assert report.tokens == sum(len(target) + 1 for _, target in expected)


@given(st.lists(st.tuples(ids, ids), min_size=1, max_size=20))
def test_a_sentence_lies_in_one_piece_and_counts_its_positions(pairs):
    layout = Layout(96, 26)
    _, pack, _ = fill(pairs, layout)
    for side in ("source", "target"):
        for segments, positions in zip(
            windows_of(layout, pack, f"{side}_segments"), windows_of(layout, pack, f"{side}_positions"), strict=True
        ):
            lengths = [int((segments == number).sum()) for number in range(1, segments.max() + 1)]
            places = [place for length in lengths for place in range(length)]
            numbers = [number for number, length in enumerate(lengths, 1) for _ in range(length)]
            padding = [0] * (layout.window - len(places))
            assert positions.tolist() == [*places, *padding]
            assert segments.tolist() == [*numbers, *padding]


@given(st.lists(st.tuples(ids, ids), min_size=1, max_size=20), st.sampled_from([1.0, 3.0]))
def test_the_decoder_reads_what_it_wrote_one_place_later(pairs, weight):
    layout = Layout(96, 26)
    _, pack, _ = fill(pairs, layout, weight)
    inputs, labels, segments = (layout.field(pack, name) for name in ("target_ids", "labels", "target_segments"))
    starts = (layout.field(pack, "target_positions") == 0) & (segments > 0)
    assert (inputs[starts] == BOS).all()
    inside = (segments > 0) & ~starts
    assert (inputs[1:][inside[1:]] == labels[:-1][inside[1:]]).all()
    weights = layout.weights(pack)
    assert (weights[segments > 0] >= 1).all()
    assert not weights[segments == 0].any() and (labels[segments == 0] == PAD).all()


@given(st.lists(st.lists(st.tuples(st.integers(3, 50), st.integers(0, 9)), min_size=1, max_size=15), min_size=1))
def test_given_labels_lie_beside_the_tokens_of_the_source(sentences):
    layout = Layout(64, 20)
    pairs = [([token for token, _ in sentence], [label for _, label in sentence]) for sentence in sentences]
    endless = (DrawnPair(ids, ids, labels=[*labels, 7], weights=[*labels, 0.5]) for ids, labels in cycle(pairs))
    pack = np.zeros(layout.size, dtype=np.int32)
    Packer(layout, endless, changed_weight=3.0).fill(pack)
    found = [layout.field(pack, name)[layout.field(pack, "source_segments") > 0] for name in ("source_ids", "labels")]
    expected = {(*zip((*ids, EOS), (*labels, 7), strict=True),) for ids, labels in pairs}
    ends = np.flatnonzero(found[0] == EOS) + 1
    read = {(*zip(*(part.tolist() for part in parts), strict=True),) for parts in split_at(found, ends)}
    assert read <= expected
    weights = layout.weights(pack)[layout.field(pack, "source_segments") > 0]
    assert (weights == np.where(found[0] == EOS, 0.5, found[1])).all()


def split_at(parts: list[np.ndarray], ends: np.ndarray) -> list[tuple[np.ndarray, ...]]:
    return list(zip(*(np.split(part, ends[:-1]) for part in parts), strict=True))


def test_a_pair_that_does_not_fit_opens_the_next_pack():
    layout = Layout(16, 8)
    packer, pack, first = fill([([5] * 6, [5] * 6), ([6] * 6, [6] * 4), ([7] * 3, [7] * 3)], layout)
    second = packer.fill(pack)
    assert (first.pairs, first.counters) == (2, (2,))
    assert (second.pairs, second.counters) == (2, (4,))
    assert read_back(layout, pack) == [((5,) * 6 + (EOS,),) * 2, ((7,) * 3 + (EOS,),) * 2]


@given(st.lists(st.integers(1, 30), min_size=1, max_size=40))
def test_windows_are_never_overfull_and_every_pair_has_a_place(slots):
    layout = Layout(32 * 8, 30)
    windows = arrange(slots, layout)
    if windows is None:
        assert sum(slots) > 8 * 32 - 8 * 30  # even then only where little is free
        return
    assert sorted(place for window in windows for place in window) == list(range(len(slots)))
    assert all(sum(slots[place] for place in window) <= layout.window for window in windows)


def test_sentences_of_ordinary_lengths_fill_their_windows():
    draw = np.random.default_rng(0)
    lengths = np.clip(draw.gamma(2.5, 12, 4000), 2, 120).astype(int)
    layout = Layout(8192, 128)
    _, _, report = fill([([5] * length, [5] * length) for length in lengths], layout)
    assert report.tokens > 0.95 * layout.tokens


def test_a_pack_that_windows_do_not_divide_is_refused():
    with pytest.raises(ConfigError, match="multiple of 32"):
        Layout(80, 26)


def test_too_long_and_empty_sentences_are_counted(monkeypatch):
    layout = Layout(16, 5)
    _, _, report = fill([([5] * 9, [5]), ([], [5]), ([7], [7])], layout)
    assert report.pairs > 0 and report.skipped >= 2
    monkeypatch.setattr("redraft.lab.train.packing.MAX_SKIPPED", 10)
    with pytest.raises(InputError, match="max_length"):
        fill([([5] * 9, [5] * 9)], layout)


def test_what_was_changed_and_what_follows_it_counts_more():
    assert changed_tokens([7, 8, 9], [7, 8, 9]) == [False] * 4
    assert changed_tokens([7, 8, 9], [7, 6, 9]) == [False, True, True, False]
    assert changed_tokens([7, 8, 9], [7, 9]) == [False, True, False]
    assert changed_tokens([7, 9], [7, 8, 9]) == [False, True, True, False]
