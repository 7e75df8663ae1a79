"""Blocks of what is not hidden."""

from __future__ import annotations

from redraft.text.formats.masks import Mask, cut_block
from redraft.text.markup import Block, Part, Placed
from redraft.text.span import Span


def test_a_block_has_no_white_space_at_its_ends():
    assert cut_block("  a b \n", Span(0, 7)) == Placed(Block((Part("a b"),)), 2)


def test_of_masks_that_overlap_the_first_and_longest_counts():
    placed = cut_block("abcdef", Span(0, 6), [Mask(2, 5), Mask(1, 2), Mask(1, 3, "x"), Mask(5, 5), Mask(5, 9)])
    assert placed == Placed(Block((Part("a"), Part("bc", "x"), Part("def"))), 0)


def test_where_there_is_nothing_to_read_there_is_no_block():
    assert cut_block("12 *b*", Span(0, 6), [Mask(3, 6)]) is None
    assert cut_block("   ", Span(0, 3)) is None
