from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from scripted import Letters

from redraft.decode.follower import Follower, find_unique_suffix

LETTERS = Letters()
sequences = st.lists(st.integers(3, 12), max_size=15)


def follow(source: list[int], target: list[int]) -> int:
    follower = Follower(source, LETTERS)
    for token in target:
        follower.push(token)
    return follower.position


@given(sequences)
def test_a_copy_is_followed_to_its_end(source):
    assert follow(source, source) == len(source)


@given(sequences, sequences)
def test_the_position_is_a_function_of_source_and_target(source, target):
    follower = Follower(source, LETTERS)
    for token in target:
        twin = follower.copy()
        follower.push(token)
        twin.push(token)
        assert (twin.position, twin.edit_start) == (follower.position, follower.edit_start)
        assert 0 <= follower.position <= len(source)


def test_a_deletion_a_replacement_and_an_insertion_are_followed():
    source = [10, 11, 13, 14, 16, 17]
    assert follow(source, [10, 13]) == 3
    assert follow(source, [10, 40, 13]) == 3
    assert follow(source, [10, 40, 11]) == 2


def test_a_replacement_goes_on_at_a_word_boundary():
    """9 and 12 go on with the word that 11 began."""
    assert follow([10, 11, 9, 12, 13], [10, 47]) == 4


@given(sequences, sequences)
def test_a_unique_suffix_is_one(source, target):
    end = find_unique_suffix(source, target)
    if end is None or end < 0:
        return
    assert source[end] == target[-1]
    for length in range(1, min(end + 1, len(target)) + 1):
        suffix = target[-length:]
        places = [i for i in range(len(source)) if i + 1 >= length and source[i + 1 - length : i + 1] == suffix]
        if len(places) == 1:
            assert places == [end]
            return


def test_the_start_of_the_sentence_makes_a_match_unique():
    assert find_unique_suffix([5, 6, 5, 7], [5]) == 0
    assert find_unique_suffix([5, 6, 5, 7], []) == -1
    assert find_unique_suffix([5, 6, 5, 7], [9, 5]) is None


def test_a_far_match_ends_an_edit_only_if_the_next_token_confirms_it():
    """10 11 is also how the source begins: 40 may replace 20, or the target may go back to the start."""
    source = [10, 11, 13, 14, 16, 17, 19, 20, 22, 10, 23, 25, 26]
    follower = Follower(source, LETTERS)
    for token in [*source[:10], 11]:
        follower.push(token)
    assert (follower.position, follower.in_step) == (2, False)
    confirmed, denied = follower.copy(), follower.copy()
    confirmed.push(13)
    assert (confirmed.position, confirmed.in_step) == (3, True)
    denied.push(25)
    assert (denied.position, denied.in_step) == (12, True)


def test_a_match_nearby_ends_an_edit_at_once():
    follower = Follower([10, 11, 13, 14, 16], LETTERS)
    for token, in_step in ((10, True), (40, False), (13, True), (16, True)):
        follower.push(token)
        assert follower.in_step is in_step
