"""Span correction: the model is asked for a token only where an error was found, and within edits.

The decoder runs over the source as a given prefix. At positions where no error was found, the source is copied without
the product with the vocabulary; behind the last such position the decoder does not run at all. Where the model's token
is not that of the source, decoding goes on until the target is back at the source, as in the decoding loop.

If every position is asked, the output is that of the decoding loop, call for call.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Protocol

from redraft.decode.drafts import find_policy
from redraft.decode.follower import Follower
from redraft.decode.loop import Call, Decoded, DecodeOptions, Limits, SourceBatch, length_limit
from redraft.decode.stepper import Feed, Predictions, Stepper
from redraft.decode.vocabulary import Vocabulary


class SelectiveStepper(Stepper, Protocol):
    def extend_some(self, feeds: Sequence[Feed], wanted: Sequence[Sequence[int]]) -> list[Predictions]:
        """Feeds like `extend`, and predicts only after the tokens with the numbers wanted[i] of each feed i."""
        ...


@dataclass(frozen=True, slots=True)
class _Round:
    """A request to the stepper: to keep `keep` tokens, to feed, and to predict after the wanted ones of the feed."""

    keep: int
    feed: Feed
    wanted: Sequence[int]


def decode_spans(
    stepper: SelectiveStepper, batch: SourceBatch, asked: Sequence[Sequence[bool]], max_tokens: int
) -> list[Decoded]:
    """Decodes the rows of a stepper that nothing was fed to.

    asked[row] says for each token of the source and for its end whether the model is asked there.
    """
    sentences = [
        _SpanDecoding(
            row, source, positions, length_limit(source, max_tokens), batch.vocabulary, batch.options, limits
        ).rounds()
        for row, (source, positions, limits) in enumerate(zip(batch.sources, asked, batch.limits, strict=True))
    ]
    done: dict[int, Decoded] = {}
    requests: dict[int, _Round] = {}
    answers: dict[int, Predictions | None] = dict.fromkeys(range(len(sentences)))
    while answers:
        requests = {}
        for row, predictions in answers.items():
            try:
                requests[row] = next(sentences[row]) if predictions is None else sentences[row].send(predictions)
            except StopIteration as stop:
                done[row] = stop.value
        for row, request in requests.items():
            stepper.rewind(row, request.keep)
        rounds = list(requests.values())
        found = stepper.extend_some([one.feed for one in rounds], [one.wanted for one in rounds]) if rounds else []
        answers = dict(zip(requests, found, strict=True))
    return [done[row] for row in range(len(sentences))]


class _SpanDecoding:
    """The state of one sentence."""

    def __init__(
        self,
        row: int,
        source: Sequence[int],
        asked: Sequence[bool],
        limit: int,
        vocabulary: Vocabulary,
        options: DecodeOptions,
        limits: Limits,
    ) -> None:
        self._row = row
        self._limits = limits
        self._asked = asked
        self._limit = limit
        self._bos, self._eos = vocabulary.bos, vocabulary.eos
        self._least = math.log(options.threshold) if options.threshold else -math.inf
        self._longest = limit if options.max_draft is None else options.max_draft
        self._drafter = find_policy(options.policy)(source, vocabulary)
        self._follower = Follower(source, vocabulary)
        self._fed = 0
        """Tokens of <bos> and the target that the stepper has."""
        self._target: list[int] = []
        self._log_probabilities: list[float] = []
        self._confidences: list[float] = []
        self._calls: list[Call] = []
        self._kept: list[int] = []

    def rounds(self) -> Generator[_Round, Predictions, Decoded]:
        while True:
            while not self._asks(self._follower):
                finished = self._write(self._follower.expected(self._eos), 0.0)
                if finished is not None:
                    return self._decoded(finished)
            draft = list(self._drafter.propose(self._target, self._follower))
            draft = draft[: min(self._longest, self._limit - len(self._target))]
            wanted = self._find_wanted(draft)
            draft = draft[: wanted[-1]]
            waiting = [self._bos, *self._target][self._fed :]
            feed = Feed(self._row, [*waiting, *draft])
            predictions = yield _Round(self._fed, feed, [len(waiting) - 1 + number for number in wanted])
            decided, likeliest, scores = self._decide(draft, wanted, predictions)
            agreed = next((index for index, token in enumerate(draft) if decided[index] != token), len(draft))
            self._calls.append(Call(draft, agreed, decided[agreed]))
            self._drafter.observe(len(self._target), draft, decided)
            self._fed += len(waiting) + agreed
            for token, own, score in zip(decided[: agreed + 1], likeliest, scores, strict=False):
                finished = self._write(token, score, is_kept=token != own)
                if finished is not None:
                    return self._decoded(finished)

    def _asks(self, follower: Follower) -> bool:
        """Whether the next token is the model's: within an edit, and where an error was found."""
        return not follower.in_step or self._asked[follower.position]

    def _find_wanted(self, draft: Sequence[int]) -> list[int]:
        """The numbers of draft tokens before which the model is asked, as far as the draft may be accepted."""
        walker = self._follower.copy()
        wanted = []
        for number in range(len(draft) + 1):
            if self._asks(walker):
                wanted.append(number)
            elif number < len(draft) and draft[number] != walker.expected(self._eos):
                break
            if number < len(draft):
                walker.push(draft[number])
        return wanted

    def _decide(
        self, draft: Sequence[int], wanted: Sequence[int], predictions: Predictions
    ) -> tuple[list[int], list[int], list[float]]:
        """The tokens that are written after the target and after each token of the draft; the likeliest ones, and their
        log-probabilities.

        Where the model is asked, they are those of the decoding loop.
        """
        found = dict(zip(wanted, zip(predictions.ids, predictions.log_probabilities, strict=True), strict=True))
        walker = self._follower.copy()
        decided, likeliest, scores = [], [], []
        for number in range(len(draft) + 1):
            token, score = found.get(number, (walker.expected(self._eos), 0.0))
            begins_edit = walker.in_step or token == self._eos
            needed = self._limits.get(walker.position, self._least) if walker.in_step else self._least
            decided.append(walker.expected(self._eos) if score < needed and begins_edit else token)
            likeliest.append(token)
            scores.append(score)
            if number < len(draft):
                walker.push(draft[number])
        return decided, likeliest, scores

    def _write(self, token: int, score: float, *, is_kept: bool = False) -> bool | None:
        """Adds a token to the target. True or False if the target ends: with <eos>, or at the limit."""
        if len(self._target) == self._limit and token != self._eos:
            return False
        if is_kept:
            self._kept.append(len(self._target))
        self._log_probabilities.append(score)
        self._confidences.append(self._confidence(token, score))
        if token == self._eos:
            return True
        self._follower.push(token)
        self._target.append(token)
        return None

    def _confidence(self, token: int, score: float) -> float:
        if token == self._follower.expected(self._eos):
            return 1.0
        begins_edit = self._follower.in_step or token == self._eos
        return math.exp(score) if begins_edit else self._confidences[-1]

    def _decoded(self, finished: bool) -> Decoded:
        kept = tuple(self._kept)
        return Decoded(self._target, self._log_probabilities, self._confidences, finished, self._calls, kept)
