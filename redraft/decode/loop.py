"""The one decoding loop. Greedy and every aggressive policy are this loop with different drafts.

Each round asks the policy for a guess of what comes next, feeds it in one parallel pass, and accepts the longest prefix
that the model itself would have written, plus the model's own next token. What is accepted therefore depends on the
model alone, and the output is exactly greedy's, whatever was drafted.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass

from redraft.decode.drafts import find_policy
from redraft.decode.follower import Follower
from redraft.decode.stepper import Engine, Feed, Predictions, Stepper
from redraft.decode.vocabulary import Vocabulary
from redraft.errors import ConfigError


@dataclass(frozen=True, slots=True)
class DecodeOptions:
    """How to decode. Only `copy_bias` can change what comes out; the rest changes how fast."""

    policy: str = "refine"
    max_draft: int | None = None
    """The longest draft, the paper's L_max; None for no limit."""
    copy_bias: float = 0.0
    """Added to the logit of the source token that stands where the target has come to."""

    def __post_init__(self) -> None:
        find_policy(self.policy)
        if self.max_draft is not None and self.max_draft < 0:
            raise ConfigError(f"max_draft must be 0 or more, not {self.max_draft}")


@dataclass(frozen=True, slots=True)
class Call:
    """One call of the decoder: what was drafted, how much of it the model agreed with, and its own next token."""

    draft: Sequence[int]
    agreed: int
    token: int

    @property
    def rejected(self) -> int:
        return len(self.draft) - self.agreed

    @property
    def verified(self) -> int:
        """Tokens that went through the decoder: the draft and the token before it."""
        return len(self.draft) + 1


@dataclass(frozen=True, slots=True)
class Decoded:
    """The target without <bos> and <eos>, the log-probability of each token and of the end, and every call made."""

    ids: list[int]
    log_probabilities: list[float]
    """One for each id and, when finished, one for <eos>."""
    finished: bool
    """False when the length limit came before <eos>: the target is not to be used."""
    calls: list[Call]

    @property
    def verified(self) -> int:
        return sum(call.verified for call in self.calls)


def length_limit(source: Sequence[int], max_tokens: int) -> int:
    """The longest target allowed: a function of the source alone, or aggressive output could differ from greedy's.

    One less than the model takes, since steppers keep the last position for padding.
    """
    return min(max_tokens - 1, 2 * len(source) + 16)


def decode_batch(
    engine: Engine,
    sources: Sequence[Sequence[int]],
    vocabulary: Vocabulary,
    options: DecodeOptions,
) -> list[Decoded]:
    """Decodes sentences side by side; each takes the same path, call for call, that it would take alone."""
    rounds = [
        _rounds(row, source, length_limit(source, engine.max_tokens), vocabulary, options)
        for row, source in enumerate(sources)
    ]
    return run(engine.start(sources), rounds)


@dataclass(frozen=True, slots=True)
class Round:
    """What a sentence asks of the stepper: to keep so many of the tokens fed before, and to feed these."""

    keep: int
    feed: Feed


Rounds = Generator[Round, Predictions, Decoded]


def run(stepper: Stepper, sentences: Sequence[Rounds]) -> list[Decoded]:
    """Gives every unfinished sentence one round per call of the decoder until all are done."""
    asked = {row: next(rounds) for row, rounds in enumerate(sentences)}
    done: dict[int, Decoded] = {}
    while asked:
        for row, wanted in asked.items():
            stepper.rewind(row, wanted.keep)
        answers = stepper.extend([wanted.feed for wanted in asked.values()])
        following: dict[int, Round] = {}
        for row, predictions in zip(asked, answers, strict=True):
            try:
                following[row] = sentences[row].send(predictions)
            except StopIteration as stop:
                done[row] = stop.value
        asked = following
    return [done[row] for row in range(len(sentences))]


def _rounds(row: int, source: Sequence[int], limit: int, vocabulary: Vocabulary, options: DecodeOptions) -> Rounds:
    """One sentence's decoding: yields what to feed, is sent what the model predicts, returns the target."""
    target: list[int] = []
    log_probabilities: list[float] = []
    calls: list[Call] = []
    drafter = find_policy(options.policy)(source, vocabulary)
    follower = Follower(source, vocabulary)
    longest = limit if options.max_draft is None else options.max_draft
    last = vocabulary.bos
    while True:
        draft = list(drafter.propose(target, follower))[: min(longest, limit - len(target))]
        favoured = _favoured(follower, draft, source, vocabulary.eos) if options.copy_bias else ()
        # Of the tokens fed, <bos> and the target up to its last token stay; that one is fed now.
        predictions = yield Round(len(target), Feed(row, [last, *draft], favoured, options.copy_bias))
        agreed = _agreement(draft, predictions.ids)
        last = predictions.ids[agreed]
        calls.append(Call(draft, agreed, last))
        log_probabilities += predictions.log_probabilities[: agreed + 1]
        drafter.observe(len(target), draft, predictions.ids)
        for token in draft[:agreed]:
            follower.push(token)
        target += draft[:agreed]
        if last == vocabulary.eos:
            return Decoded(target, log_probabilities, True, calls)
        if len(target) == limit:
            return Decoded(target, log_probabilities[:-1], False, calls)
        follower.push(last)
        target.append(last)


def _agreement(draft: Sequence[int], predicted: Sequence[int]) -> int:
    """How many tokens of the draft the model would have written itself."""
    for index, token in enumerate(draft):
        if predicted[index] != token:
            return index
    return len(draft)


def _favoured(follower: Follower, draft: Sequence[int], source: Sequence[int], eos: int) -> list[int]:
    """The aligned source token at each fed position: seen along the draft, it depends on the prefix alone, since a
    draft is only ever accepted where it *is* the prefix."""
    walker = follower.copy()
    favoured = []
    for token in (*draft, None):
        favoured.append(source[walker.position] if walker.position < len(source) else eos)
        if token is not None:
            walker.push(token)
    return favoured
