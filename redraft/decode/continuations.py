"""How likely a model finds given continuations at places of its source, where everything before them is copied."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from redraft.decode.stepper import BeamStepper, Engine, Feed, Ranking
from redraft.decode.vocabulary import Vocabulary

MOST_OF_WORD = 12
"""Tokens of a word that are written at most."""
_RANKED = 128
"""Next tokens that the model is asked for. A token of a probability above 1/128 is always among them."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Continuations, each of at least one token, behind the first `position` tokens of a text."""

    position: int
    continuations: Sequence[Sequence[int]]


@dataclass(frozen=True, slots=True)
class _Prefix:
    """The first tokens of some continuations of one choice, which the decoder was fed."""

    row: int
    choice: int
    tokens: tuple[int, ...]
    log_probability: float


def score_continuations(
    engine: Engine, source: Sequence[int], written: Sequence[int], choices: Sequence[Choice], vocabulary: Vocabulary
) -> list[list[float]]:
    """For each choice, the log-probability of each continuation. Minus infinity if one of its tokens is too unlikely to
    be ranked.

    `written` is the text that the continuations follow: the source, perhaps in other tokens. Continuations that begin
    alike share their first decoder calls, and all choices share every call.
    """
    stepper = engine.start([source])
    scores = [[-math.inf] * len(choice.continuations) for choice in choices]
    best = min(_RANKED, len(vocabulary.starts_word))
    rankings = rank_places(stepper, [vocabulary.bos, *written], [choice.position for choice in choices], best)
    prefixes = [_Prefix(row, row, (), 0.0) for row in range(len(choices))]
    while True:
        following: list[_Prefix] = []
        for prefix, ranking in zip(prefixes, rankings, strict=True):
            following += _extend(prefix, ranking, choices[prefix.choice], scores[prefix.choice])
        if not following:
            return scores
        stepper.select([prefix.row for prefix in following])
        rankings = stepper.rank([Feed(row, [prefix.tokens[-1]]) for row, prefix in enumerate(following)], best)
        prefixes = [
            _Prefix(row, prefix.choice, prefix.tokens, prefix.log_probability) for row, prefix in enumerate(following)
        ]


def _extend(prefix: _Prefix, ranking: Ranking, choice: Choice, scores: list[float]) -> list[_Prefix]:
    """The prefixes of one more token. Continuations that end with this token get their score."""
    length = len(prefix.tokens)
    ranked = dict(zip(ranking.ids, ranking.log_probabilities, strict=True))
    longer: dict[int, _Prefix] = {}
    for number, continuation in enumerate(choice.continuations):
        token = continuation[length] if len(continuation) > length else None
        if token not in ranked or tuple(continuation[:length]) != prefix.tokens:
            continue
        total = prefix.log_probability + ranked[token]
        if len(continuation) == length + 1:
            scores[number] = total
        else:
            longer[token] = _Prefix(prefix.row, prefix.choice, (*prefix.tokens, token), total)
    return list(longer.values())


def continue_words(
    engine: Engine,
    sources: Sequence[Sequence[int]],
    written: Sequence[int],
    positions: Sequence[int],
    vocabulary: Vocabulary,
) -> list[list[list[int]]]:
    """For each position of a text, and for each source, the word that the model writes there.

    Positions are in the order of the text, `written`, of which the sources are other forms. At most `MOST_OF_WORD`
    tokens of a word are written.
    """
    stepper = engine.start(sources)
    text = [vocabulary.bos, *written]
    found: list[list[list[int]]] = []
    fed = 0
    for position in positions:
        words: list[list[int]] = [[] for _ in sources]
        feeds = [Feed(row, text[fed : position + 1]) for row in range(len(sources))]
        while feeds:
            following = []
            for feed, predictions in zip(feeds, stepper.extend(feeds), strict=True):
                word, token = words[feed.row], predictions.ids[-1]
                ends = token == vocabulary.eos or (word and vocabulary.starts_word[token])
                if not ends and len(word) < MOST_OF_WORD:
                    word.append(token)
                    following.append(Feed(feed.row, [token]))
            feeds = following
        found.append(words)
        fed = position + 1
        for row in range(len(sources)):
            stepper.rewind(row, fed)
    return found


def rank_copied_places(
    engine: Engine, source: Sequence[int], positions: Sequence[int], vocabulary: Vocabulary, best: int
) -> list[Ranking]:
    """The best tokens behind `positions` of a source of which everything before them is copied."""
    ranked = min(best, len(vocabulary.starts_word))
    return rank_places(engine.start([source]), [vocabulary.bos, *source], positions, ranked)


def rank_places(stepper: BeamStepper, written: Sequence[int], positions: Sequence[int], best: int) -> list[Ranking]:
    """The best tokens behind `positions` of a text, which begins with <bos>; at least one position is given.

    One pass over the whole text, then a row for each place, which goes back to it.
    """
    stepper.extend([Feed(0, written[: max(positions) + 1])])
    stepper.select([0] * len(positions))
    for row, position in enumerate(positions):
        stepper.rewind(row, position)
    return stepper.rank([Feed(row, [written[position]]) for row, position in enumerate(positions)], best)
