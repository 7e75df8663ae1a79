"""Log-probabilities of given continuations, from models whose rankings the tests write."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import pytest
from greedy import LETTERS
from hypothesis import given
from hypothesis import strategies as st
from scripted import EOS, ScriptedEngine, ScriptedStepper, always_agrees

from redraft.decode.continuations import MOST_OF_WORD, Choice, continue_words, score_continuations
from redraft.decode.stepper import Feed, Ranking

SOURCE = [10, 11, 13, 14]
tokens = st.integers(3, 8)


def probability(target: Sequence[int], token: int) -> float:
    """Of a token behind a target, by a hash: the tokens 3 to 7 and <eos> have some, 8 has none."""
    shares = {other: random.Random(f"{list(target)} {other}").uniform(0.1, 1.0) for other in (EOS, 3, 4, 5, 6, 7)}
    return shares.get(token, 0.0) / sum(shares.values())


class Stepper(ScriptedStepper):
    """Ranks all tokens that have a probability."""

    def rank(self, feeds: Sequence[Feed], best: int) -> list[Ranking]:
        self.calls -= 1  # `extend` counts
        self.extend(feeds)
        self.calls += 1
        rankings = []
        for feed in feeds:
            target = self.fed[feed.row][1:]
            found = {token: math.log(probability(target, token)) for token in (EOS, 3, 4, 5, 6, 7)}
            ids = sorted(found, key=lambda token: -found[token])
            rankings.append(Ranking(ids, [found[token] for token in ids]))
        return rankings


def score(choices: Sequence[Choice]) -> tuple[list[list[float]], int]:
    engine = ScriptedEngine(always_agrees, stepper=Stepper)
    scores = score_continuations(engine, [20, 21], SOURCE, choices, LETTERS)
    assert engine.last is not None
    return scores, engine.last.calls


def expected(position: int, continuation: Sequence[int]) -> float:
    written = SOURCE[:position]
    total = 0.0
    for token in continuation:
        found = probability(written, token)
        if not found:
            return -math.inf
        total += math.log(found)
        written = [*written, token]
    return total


choices = st.builds(
    Choice, st.integers(0, len(SOURCE)), st.lists(st.lists(tokens, min_size=1, max_size=4), min_size=1, max_size=6)
)


@given(st.lists(choices, min_size=1, max_size=4))
def test_scores_are_those_of_feeding_each_continuation_alone(given_choices: list[Choice]) -> None:
    scores, _ = score(given_choices)
    for choice, found in zip(given_choices, scores, strict=True):
        wanted = [expected(choice.position, continuation) for continuation in choice.continuations]
        assert found == pytest.approx(wanted)


def test_choices_share_their_calls() -> None:
    """One over the source, then one for each token of the longest continuation."""
    one = Choice(1, [[3, 4, EOS], [3, 5, EOS], [3, EOS]])
    _, alone = score([one])
    _, together = score([one, Choice(3, [[4, 4, EOS], [5, EOS]])])
    assert alone == together == 1 + 3


def test_a_word_is_written_for_each_source_and_place() -> None:
    """The model writes what its source has at the same place, up to the next token that starts a word."""

    def choose(source: Sequence[int], target: Sequence[int]) -> int:
        return [*source, EOS][min(len(target), len(source))]

    written = [10, 11, 13, 14]
    sources = [[10, 11, 12, 15, 13, 14], [10, 16, 13, 15]]
    engine = ScriptedEngine(choose)
    first, second = continue_words(engine, sources, written, [1, 3], LETTERS)
    assert first == [[11, 12, 15], [16]], "13 starts a word"
    assert second == [[15], [15]], "the text before is the one that was given, not what was written for a word"


def test_words_have_a_longest_length() -> None:
    engine = ScriptedEngine(lambda source, target: 12)
    assert continue_words(engine, [[10]], [10], [0, 1], LETTERS) == [[[12] * MOST_OF_WORD]] * 2


def test_no_word_is_written_at_the_end() -> None:
    assert continue_words(ScriptedEngine(lambda source, target: EOS), [[10]], [10], [1], LETTERS) == [[[]]]
