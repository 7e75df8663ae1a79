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

from redraft.decode.continuations import Choice, score_continuations
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
    scores = score_continuations(engine, SOURCE, choices, LETTERS)
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
