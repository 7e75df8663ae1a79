"""Other targets for a source: at chosen places of a decoded target, what the model would have written next best."""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence
from dataclasses import dataclass

from redraft.decode.continuations import rank_places
from redraft.decode.follower import Follower
from redraft.decode.loop import Round, length_limit, run
from redraft.decode.stepper import BeamStepper, Engine, Feed, Predictions, Ranking
from redraft.decode.vocabulary import Vocabulary

_RANKED = 8
"""Next tokens that the model is asked for at each place."""
_MOST_BRANCHES = 4
"""Tokens at the start of a passage where another one is tried."""
_MOST_TRIED = 4
"""Other tokens that are tried for each passage."""
_LONGEST_DRAFT = 5
"""A continuation ends soon after it meets the target again: a longer draft would be verified for nothing."""
_MOST_WRITTEN = 16
"""Tokens of a continuation that does not meet the target again; then it is given up."""


@dataclass(frozen=True, slots=True)
class Passage:
    """Tokens start…end of a target, which are to be written in another way. An empty one stands for a deletion."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class OtherTarget:
    """A target that differs from the decoded one in a passage, and the probability of what differs."""

    ids: list[int]
    probability: float


@dataclass(frozen=True, slots=True)
class _Branch:
    """A token at `position` of the target that the model could have written instead of the one there."""

    position: int
    token: int
    log_probability: float
    """Of the passage up to this token, with it."""


def other_targets(
    engine: Engine,
    source: Sequence[int],
    target: Sequence[int],
    passages: Sequence[Passage],
    vocabulary: Vocabulary,
    floor: float,
) -> list[list[OtherTarget]]:
    """For each passage of the target, other targets of at least the probability `floor`, the likeliest first.

    Each begins like the target, continues with another token in the passage and then greedily, until the model writes
    the next words of the target again. The rest is that of the target.
    """
    limit = length_limit(source, engine.max_tokens)
    if len(target) >= limit:  # a longer one could not be continued
        return [[] for _ in passages]
    stepper = engine.start([source])
    branches = _find_branches(stepper, target, passages, vocabulary, math.log(floor))
    tried = [branch for found in branches for branch in found]
    if not tried:
        return [[] for _ in passages]
    rounds = [_continue(row, target, branch, limit, vocabulary) for row, branch in enumerate(tried)]
    written = iter(run(stepper, rounds))
    return [_best([next(written) for _ in found], floor) for found in branches]


def _find_branches(
    stepper: BeamStepper, target: Sequence[int], passages: Sequence[Passage], vocabulary: Vocabulary, least: float
) -> list[list[_Branch]]:
    """The branches of each passage. Afterwards the stepper has a row for each, with what is written before it."""
    places = [
        range(passage.start, max(passage.start + 1, min(passage.end, passage.start + _MOST_BRANCHES)))
        for passage in passages
    ]
    positions = [position for place in places for position in place]
    written = [vocabulary.bos, *target]
    rankings = iter(rank_places(stepper, written, positions, min(_RANKED, len(vocabulary.starts_word))))
    branches = [_branches_of(place, [next(rankings) for _ in place], target, vocabulary, least) for place in places]
    rows = [positions.index(branch.position) for found in branches for branch in found]
    if rows:
        stepper.select(rows)
    return branches


def _branches_of(
    place: Sequence[int], rankings: Sequence[Ranking], target: Sequence[int], vocabulary: Vocabulary, least: float
) -> list[_Branch]:
    branches: list[_Branch] = []
    total = 0.0
    for position, ranking in zip(place, rankings, strict=True):
        ranked = dict(zip(ranking.ids, ranking.log_probabilities, strict=True))
        own = target[position] if position < len(target) else vocabulary.eos
        branches += [
            _Branch(position, token, total + log_probability)
            for token, log_probability in ranked.items()
            # The end of the sentence would leave out everything behind it.
            if token not in (own, vocabulary.eos) and total + log_probability >= least
        ]
        if own not in ranked:
            break
        total += ranked[own]
    branches.sort(key=lambda branch: -branch.log_probability)
    return branches[:_MOST_TRIED]


def _continue(
    row: int, target: Sequence[int], branch: _Branch, limit: int, vocabulary: Vocabulary
) -> Generator[Round, Predictions, OtherTarget | None]:
    """Decodes from a branch on until the next word of the target is written again; None if it never is."""
    before = list(target[: branch.position])
    follower = Follower(target, vocabulary)
    for token in (*before, branch.token):
        follower.push(token)
    written, total = [branch.token], branch.log_probability
    while len(written) <= _MOST_WRITTEN and len(before) + len(written) <= limit:
        most = min(_LONGEST_DRAFT, limit - len(before) - len(written))
        draft = target[follower.position : follower.position + most]
        predictions = yield Round(len(before) + len(written), Feed(row, [written[-1], *draft]))
        for index, token in enumerate(predictions.ids):
            if token == vocabulary.eos:
                return OtherTarget([*before, *written], math.exp(total))
            is_copy = token == follower.expected(vocabulary.eos)
            # Two copied tokens: behind a single one the model might go on in another way.
            if follower.in_step and is_copy and vocabulary.starts_word[token]:
                if follower.position < branch.position:  # a repetition of what was written before
                    return None
                return OtherTarget([*before, *written, *target[follower.position :]], math.exp(total))
            written.append(token)
            total += predictions.log_probabilities[index]
            follower.push(token)
            if index == len(draft) or draft[index] != token:
                break
    return None


def _best(found: Sequence[OtherTarget | None], floor: float) -> list[OtherTarget]:
    finished = [one for one in found if one is not None and one.probability >= floor]
    return sorted(finished, key=lambda one: -one.probability)
