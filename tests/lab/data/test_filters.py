from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redraft.lab.data import filters
from redraft.lab.data.filters import FilterChain, Overlap, fold
from redraft.lab.data.pair import Pair
from redraft.lab.data.tokenization import tokenize


@pytest.mark.parametrize(
    ("passes", "kept", "dropped"),
    [
        (filters.has_length(2, 3), Pair("a b", "a b c"), Pair("a b", "a b c d")),
        (filters.has_ratio(1.5), Pair("abcd", "abcdef"), Pair("abcd", "abcdefg")),
        (filters.keeps_words(0.5), Pair("a b c", "A b d"), Pair("a b c", "x y c")),
        (filters.is_changed, Pair("a", "b"), Pair("a", "a")),
        (filters.adds_no_remark, Pair("a (b", "a (b"), Pair("a", "a (or b")),
        (filters.is_script("LATIN"), Pair("naïve", "naïve"), Pair("слово", "word")),
        (filters.is_script("CJK"), Pair("我在家", "我在家"), Pair("123", "456")),
    ],
)
def test_each_filter_keeps_and_drops(passes: filters.Filter, kept: Pair, dropped: Pair) -> None:
    assert passes(kept)
    assert not passes(dropped)


def test_pairs_are_counted_by_the_first_filter_that_drops_them() -> None:
    chain = FilterChain({"short": filters.has_length(2, 9), "twice": filters.is_new()})
    pairs = [Pair("a b", "a b"), Pair("a", "a"), Pair("a b", "a b"), Pair("c d", "c d")]
    assert list(chain.apply(pairs)) == [pairs[0], pairs[3]]
    assert (chain.read, chain.kept, dict(chain.dropped)) == (4, 2, {"short": 1, "twice": 1})
    assert "dropped: twice" in chain.report()


@given(st.text(st.characters(max_codepoint=0x24F, exclude_categories=["Cc"])))
def test_folding_forgets_the_spelling(text: str) -> None:
    assert fold(tokenize(text)) == fold(text) == fold(f" {text} .")


def test_overlap() -> None:
    overlap = Overlap(["The quick brown fox jumps over the lazy dog near the river.", "Short one."])
    assert len(overlap) == 2
    assert overlap.holds("the quick brown fox jumps over the lazy dog near the river")
    assert overlap.holds("SHORT ONE !")
    assert not overlap.holds("Shorter one.")
    near = "Yes, the quick brown fox jumps over the lazy dog near the water."
    assert overlap.is_near(near)
    assert not overlap.is_near("The quick brown fox sleeps under the lazy tree near a house of stone.")
    assert overlap.excludes(near=False)(Pair("something else", near))
    assert not overlap.excludes(near=True)(Pair("something else", near))
    assert not overlap.excludes(near=False)(Pair("something else", "short one"))
