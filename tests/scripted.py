"""Models whose choices a test writes, for the decoding loop."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence

from redraft.decode.stepper import Feed, Predictions, Ranking

BOS, EOS = 1, 2


class Letters:
    """A vocabulary of small numbers: every third goes on with the word before."""

    bos, eos = BOS, EOS

    def __init__(self, size: int = 60) -> None:
        self.starts_word = [index % 3 != 0 for index in range(size)]

    def text_of(self, index: int, /) -> str:
        return (" " if self.starts_word[index] else "") + chr(97 + index % 26) * (1 + index % 7)


Choose = Callable[[Sequence[int], Sequence[int]], int]
"""(source, target so far) → the next token."""
Probability = Callable[[Sequence[int], Sequence[int]], float]
"""(source, target so far) → the probability of the next token."""


def certain(source: Sequence[int], target: Sequence[int]) -> float:
    return 1.0


def random_probability(seed: int) -> Probability:
    """Between 0.05 and 1, by a hash of the prefix."""

    def probability(source: Sequence[int], target: Sequence[int]) -> float:
        return random.Random(f"probability {seed} {list(source)} {list(target)}").uniform(0.05, 1.0)

    return probability


class ScriptedStepper:
    """Answers by a function of the source and the tokens fed; keeps what was fed, so that a broken rewind shows."""

    def __init__(self, sources: Sequence[Sequence[int]], choose: Choose, probability: Probability = certain) -> None:
        self.sources = [list(source) for source in sources]
        self.fed: list[list[int]] = [[] for _ in sources]
        self.choose = choose
        self.probability = probability
        self.calls = 0

    def extend(self, feeds: Sequence[Feed]) -> list[Predictions]:
        self.calls += 1
        answers = []
        for feed in feeds:
            ids, log_probabilities = [], []
            source, fed = self.sources[feed.row], self.fed[feed.row]
            for token in feed.ids:
                fed.append(token)
                ids.append(self.choose(source, fed[1:]))
                log_probabilities.append(math.log(self.probability(source, fed[1:])))
            answers.append(Predictions(ids, log_probabilities))
        return answers

    def rewind(self, row: int, length: int) -> None:
        del self.fed[row][length:]

    def rank(self, feeds: Sequence[Feed], best: int) -> list[Ranking]:
        return [Ranking(answer.ids[-1:], [0.0]) for answer in self.extend(feeds)]

    def select(self, rows: Sequence[int]) -> None:
        self.sources = [list(self.sources[row]) for row in rows]
        self.fed = [list(self.fed[row]) for row in rows]


class CopyingStepper(ScriptedStepper):
    """Gives the token that copies the source what is left of the probability."""

    def rank(self, feeds: Sequence[Feed], best: int) -> list[Ranking]:
        answers = []
        for feed, predictions in zip(feeds, self.extend(feeds), strict=True):
            token, log_probability = predictions.ids[-1], predictions.log_probabilities[-1]
            source, target = self.sources[feed.row], self.fed[feed.row][1:]
            copied = [*source, EOS][min(len(target), len(source))]
            rest = 1 - math.exp(log_probability)
            others = {copied: math.log(rest)} if copied != token and rest > 0 else {}
            ranked = {token: log_probability, **others}
            answers.append(Ranking(list(ranked), list(ranked.values())))
        return answers


class ScriptedEngine:
    name = "scripted"

    def __init__(
        self,
        choose: Choose,
        max_tokens: int = 64,
        stepper: type[ScriptedStepper] = ScriptedStepper,
        probability: Probability = certain,
    ) -> None:
        self.choose = choose
        self.probability = probability
        self.max_tokens = max_tokens
        self.stepper = stepper
        self.last: ScriptedStepper | None = None

    def start(self, sources: Sequence[Sequence[int]]) -> ScriptedStepper:
        self.last = self.stepper(sources, self.choose, self.probability)
        return self.last


Distribution = Callable[[Sequence[int], Sequence[int]], dict[int, float]]
"""(source, target so far) → the probabilities of the next tokens."""


def engine_with(distribution: Distribution, max_tokens: int = 300) -> ScriptedEngine:
    """An engine that writes the likeliest token, and ranks all that have a probability."""

    def best(source: Sequence[int], target: Sequence[int]) -> tuple[int, float]:
        found = distribution(source, target)
        token = max(found, key=lambda one: found[one])
        return token, found[token]

    class Stepper(ScriptedStepper):
        def rank(self, feeds: Sequence[Feed], best: int) -> list[Ranking]:
            self.extend(feeds)
            answers = []
            for feed in feeds:
                found = distribution(self.sources[feed.row], self.fed[feed.row][1:])
                ids = sorted(found, key=lambda token: -found[token])[:best]
                answers.append(Ranking(ids, [math.log(found[token]) for token in ids]))
            return answers

    return ScriptedEngine(
        lambda source, target: best(source, target)[0],
        max_tokens,
        Stepper,
        lambda source, target: best(source, target)[1],
    )


def always_agrees(source: Sequence[int], target: Sequence[int]) -> int:
    return source[len(target)] if len(target) < len(source) else EOS


def writes(expected: Sequence[int]) -> Choose:
    """Writes `expected`; off that path it still answers something, as a model does."""

    def choose(source: Sequence[int], target: Sequence[int]) -> int:
        on_path = list(target) == list(expected[: len(target)])
        place = len(target) if on_path else (len(target) + sum(target)) % (len(expected) + 1)
        return expected[place] if place < len(expected) else EOS

    return choose


def sometimes_agrees(seed: int, agreement: float, size: int = 60) -> Choose:
    """Follows the source with some probability, and else writes, skips or stops by a hash of the prefix."""

    def choose(source: Sequence[int], target: Sequence[int]) -> int:
        generator = random.Random(f"{seed} {list(source)} {list(target)}")
        if generator.random() < agreement:
            return always_agrees(source, target)
        roll = generator.random()
        if roll < 0.15:
            return EOS
        if roll < 0.6 and source:
            return generator.choice(list(source))
        return generator.randrange(3, size)

    return choose
