"""The decoding loop. Greedy decoding and every draft policy are this loop with different drafts.

Each round asks the policy for a guess of what comes next, feeds it in one parallel pass, and accepts the longest prefix
that greedy decoding would have written too, plus the token that greedy decoding writes next. What is accepted depends
on the model, the source and the target so far, never on the draft, so every policy gives exactly greedy's output.

Greedy decoding here takes the likeliest token, with one exception: an edit begins only where the model gives its first
token at least the probability `DecodeOptions.threshold`, or a higher one that the caller gives for a place in the
source. Elsewhere the source is copied.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from redraft.decode.drafts import find_policy
from redraft.decode.follower import Follower
from redraft.decode.stepper import Engine, Feed, Predictions, Stepper
from redraft.decode.vocabulary import Vocabulary
from redraft.errors import ConfigError

Limits = Mapping[int, float]
"""For positions in the source, the least log-probability of the first token of an edit that begins there."""


@dataclass(frozen=True, slots=True)
class DecodeOptions:
    """How to decode. Only `threshold` changes the output; policy and `max_draft` change the speed alone."""

    policy: str = "refine"
    max_draft: int | None = None
    """The longest draft in tokens, the paper's L_max; None for no limit."""
    threshold: float = 0.0
    """The least probability of an edit's first token; the source is copied where the model is less sure."""

    def __post_init__(self) -> None:
        find_policy(self.policy)
        if not 0 <= self.threshold <= 1:
            raise ConfigError(f"threshold must be between 0 and 1, not {self.threshold}")
        if self.max_draft is not None and self.max_draft < 0:
            raise ConfigError(f"max_draft must be 0 or more, not {self.max_draft}")


@dataclass(frozen=True, slots=True)
class SourceBatch:
    """Sentences that are decoded together, as token ids, and how."""

    sources: Sequence[Sequence[int]]
    vocabulary: Vocabulary
    options: DecodeOptions
    limits: Sequence[Limits]
    """For each sentence, the places where an edit must reach another probability than the threshold."""

    @classmethod
    def plain(cls, sources: Sequence[Sequence[int]], vocabulary: Vocabulary, options: DecodeOptions) -> SourceBatch:
        """Sentences with the threshold of the options everywhere."""
        return cls(sources, vocabulary, options, [{}] * len(sources))

    def select(self, rows: Sequence[int]) -> SourceBatch:
        """Some of the sentences."""
        sources, limits = [self.sources[row] for row in rows], [self.limits[row] for row in rows]
        return SourceBatch(sources, self.vocabulary, self.options, limits)


@dataclass(frozen=True, slots=True)
class Call:
    """One call of the decoder: the draft, how many tokens of it were accepted, and the token that followed them."""

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
    """The target without <bos> and <eos>, how sure the model was of each token and of the end, and every call made."""

    ids: list[int]
    log_probabilities: list[float]
    """Of the model's likeliest token at the place of each id and, when finished, of <eos>. That token is the id itself
    unless the threshold kept the source's."""
    confidences: list[float]
    """For each id and, when finished, for <eos>: 1 for a copied token, else the probability of the first token of the
    edit that it belongs to. A deletion is decided by the token behind it."""
    finished: bool
    """False if the length limit was reached before <eos>: then the target must not be used."""
    calls: list[Call]
    kept: tuple[int, ...] | None = None
    """Places of ids, or of <eos>, at which the model's likeliest token was another one, and the threshold kept the
    source's. None if they were not recorded."""

    @property
    def verified(self) -> int:
        return sum(call.verified for call in self.calls)


Decode = Callable[[Engine, SourceBatch], list[Decoded]]
"""Decodes the sentences of a batch with an engine."""


def length_limit(source: Sequence[int], max_tokens: int) -> int:
    """The longest target allowed: a function of the source alone, or aggressive output could differ from greedy's.

    One less than the model takes, since steppers keep the last position for padding.
    """
    return min(max_tokens - 1, 2 * len(source) + 16)


def decode_batch(
    engine: Engine, sources: Sequence[Sequence[int]], vocabulary: Vocabulary, options: DecodeOptions
) -> list[Decoded]:
    """Decodes sentences side by side, each with the same calls as alone."""
    return decode_sources(engine, SourceBatch.plain(sources, vocabulary, options))


def decode_sources(engine: Engine, batch: SourceBatch) -> list[Decoded]:
    """Like `decode_batch`, with limits for each sentence."""
    return decode_rows(engine.start(batch.sources), batch, engine.max_tokens)


def decode_rows(stepper: Stepper, batch: SourceBatch, max_tokens: int) -> list[Decoded]:
    """Decodes the rows of a stepper that nothing was fed to; `max_tokens` is the engine's."""
    rounds = [
        _rounds(row, source, length_limit(source, max_tokens), batch.vocabulary, batch.options, limits)
        for row, (source, limits) in enumerate(zip(batch.sources, batch.limits, strict=True))
    ]
    return run(stepper, rounds)


@dataclass(frozen=True, slots=True)
class Round:
    """A sentence's request to the stepper: to keep the first `keep` tokens fed so far, and then to feed `feed`."""

    keep: int
    feed: Feed


_T = TypeVar("_T")


def run(stepper: Stepper, sentences: Sequence[Generator[Round, Predictions, _T]]) -> list[_T]:
    """Gives every unfinished sentence one round in each decoder call until all are finished."""
    requests = {row: next(rounds) for row, rounds in enumerate(sentences)}
    done: dict[int, _T] = {}
    while requests:
        for row, request in requests.items():
            stepper.rewind(row, request.keep)
        answers = stepper.extend([request.feed for request in requests.values()])
        following: dict[int, Round] = {}
        for row, predictions in zip(requests, answers, strict=True):
            try:
                following[row] = sentences[row].send(predictions)
            except StopIteration as stop:
                done[row] = stop.value
        requests = following
    return [done[row] for row in range(len(sentences))]


def _rounds(
    row: int, source: Sequence[int], limit: int, vocabulary: Vocabulary, options: DecodeOptions, limits: Limits
) -> Generator[Round, Predictions, Decoded]:
    """Decodes one sentence: yields what to feed, is sent the model's predictions, returns the target."""
    target: list[int] = []
    log_probabilities: list[float] = []
    confidences: list[float] = []
    calls: list[Call] = []
    kept: list[int] = []
    drafter = find_policy(options.policy)(source, vocabulary)
    follower = Follower(source, vocabulary)
    least = math.log(options.threshold) if options.threshold else -math.inf
    longest = limit if options.max_draft is None else options.max_draft
    last = vocabulary.bos
    while True:
        draft = list(drafter.propose(target, follower))[: min(longest, limit - len(target))]
        # Of the tokens fed, <bos> and the target up to its last token stay; that one is fed now.
        predictions = yield Round(len(target), Feed(row, [last, *draft]))
        decided = _decide(follower, draft, predictions, vocabulary.eos, least, limits)
        agreed = _agreement(draft, decided)
        last = decided[agreed]
        calls.append(Call(draft, agreed, last))
        drafter.observe(len(target), draft, decided)
        likeliest = zip(predictions.ids, predictions.log_probabilities, strict=True)
        for token, (own, log_probability) in zip(decided[: agreed + 1], likeliest, strict=False):
            if len(target) == limit and token != vocabulary.eos:
                return Decoded(target, log_probabilities, confidences, False, calls, tuple(kept))
            if token != own:
                kept.append(len(target))
            log_probabilities.append(log_probability)
            confidences.append(_confidence(follower, token, log_probability, confidences, vocabulary.eos))
            if token == vocabulary.eos:
                return Decoded(target, log_probabilities, confidences, True, calls, tuple(kept))
            follower.push(token)
            target.append(token)


def _decide(
    follower: Follower, draft: Sequence[int], predictions: Predictions, eos: int, least: float, limits: Limits
) -> Sequence[int]:
    """The tokens that greedy decoding writes after the target and after each token of the draft.

    Each is the model's token, or the next one of the source where the model's would begin an edit and has a lower
    log-probability than `least`, or than `limits` has for the place. An end of the sentence that leaves out part of the
    source is an edit too, also within another one. Seen along the draft, a decision depends on source and prefix alone:
    a draft is only accepted as far as it *is* what greedy decoding writes.
    """
    if not limits and min(predictions.log_probabilities) >= least:
        return predictions.ids
    walker = follower.copy()
    decided = []
    for index, (token, log_probability) in enumerate(zip(predictions.ids, predictions.log_probabilities, strict=True)):
        begins_edit = walker.in_step or token == eos
        needed = limits.get(walker.position, least) if walker.in_step else least
        decided.append(walker.expected(eos) if log_probability < needed and begins_edit else token)
        if index < len(draft):
            walker.push(draft[index])
    return decided


def _confidence(follower: Follower, token: int, log_probability: float, before: Sequence[float], eos: int) -> float:
    """How sure the model was of the edit that `token` belongs to; `before` are the confidences of earlier tokens."""
    if token == follower.expected(eos):
        return 1.0
    return math.exp(log_probability) if follower.in_step or token == eos else before[-1]


def _agreement(draft: Sequence[int], decided: Sequence[int]) -> int:
    """How many tokens of the draft greedy decoding writes too."""
    for index, token in enumerate(draft):
        if decided[index] != token:
            return index
    return len(draft)
