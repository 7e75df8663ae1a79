from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from redraft.edits.subsequence import subsequence_ratio

WORDS = st.text("abc", max_size=12)


def longest_common_subsequence(first: str, second: str) -> int:
    row = [0] * (len(second) + 1)
    for left in first:
        diagonal = 0
        for index, right in enumerate(second, 1):
            diagonal, row[index] = row[index], diagonal + 1 if left == right else max(row[index], row[index - 1])
    return row[-1]


@settings(deadline=None)
@given(WORDS, WORDS)
def test_is_the_longest_common_subsequence_over_both_lengths(first: str, second: str):
    total = len(first) + len(second)
    expected = 2 * longest_common_subsequence(first, second) / total if first and second else float(first == second)
    assert subsequence_ratio(first, second) == expected


def test_grows_with_likeness():
    assert subsequence_ratio("house", "house") == 1
    assert (
        subsequence_ratio("recieve", "receive")
        > subsequence_ratio("recieve", "deceive")
        > subsequence_ratio("recieve", "dog")
    )
    assert subsequence_ratio("cat", "dig") == 0


def test_a_very_long_word_is_compared_by_its_beginning():
    assert subsequence_ratio("a" * 10**6, "a" * 10**6 + "b") == 1
