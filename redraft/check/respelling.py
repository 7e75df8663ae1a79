"""Corrects unknown words that the model has copied, if it finds a known word likelier that is one letter away."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from redraft.decode.continuations import Choice, score_continuations
from redraft.decode.stepper import Engine
from redraft.model.known_words import KnownWords
from redraft.text.span import Span
from redraft.tokens.tokenizer import Tokenizer

_MOST_UNKNOWN = 4
"""Unknown words of a sentence; one with more of them is in another language, or full of names."""
_LEAST_CONFIDENCE = 0.5
_LEAST_POSSIBLE = 0.0025
"""The least probability of a known word for an unknown one that is a possible misspelling."""


@dataclass(frozen=True, slots=True)
class Respelling:
    """A known word for an unknown one of a text.

    Its confidence is its share in the probability of all spellings that were compared: the word as it is, and the known
    words one letter away.
    """

    span: Span
    word: str
    confidence: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """The spellings of an unknown word: as it is, and the known words one letter away."""

    span: Span
    spellings: Sequence[str]


class Respeller:
    """Finds respellings with one model."""

    def __init__(self, tokenizer: Tokenizer, known_words: KnownWords) -> None:
        self._tokenizer = tokenizer
        self._known_words = known_words

    def compare(self, text: str, unknown: Sequence[Span]) -> list[Comparison]:
        """The spellings to be compared of the unknown words of a normalized sentence, without those that have no known
        word one letter away. None at all if there are too many unknown words."""
        found = []
        for span in unknown if len(unknown) <= _MOST_UNKNOWN else ():
            word = span.of(text)
            near = self._known_words.near(word.lower())
            if near:
                written = near if word.islower() else [other.capitalize() for other in near]
                found.append(Comparison(span, [word, *written]))
        return found

    def find(self, engine: Engine, text: str, comparisons: Sequence[Comparison], threshold: float) -> list[Respelling]:
        """The respellings of a normalized sentence with at least this confidence, and at least 0.5."""
        found = [_choose(one, scores) for one, scores in self._score(engine, text, comparisons)]
        return [one for one in found if one and one.confidence >= max(threshold, _LEAST_CONFIDENCE)]

    def find_possible(self, engine: Engine, text: str, comparisons: Sequence[Comparison]) -> list[Respelling]:
        """The known words that the model finds possible instead of unknown ones, though it copies these.

        Words that differ at their ends alone are left out: an unknown word is often another form of a known one.
        """
        found = []
        for comparison, scores in self._score(engine, text, comparisons):
            word, *others = comparison.spellings
            score, best = max(zip(scores[1:], others, strict=True), default=(-math.inf, word))
            if score >= math.log(_LEAST_POSSIBLE) and not _differ_at_end(word, best):
                found.append(Respelling(comparison.span, best, math.exp(score)))
        return found

    def _score(
        self, engine: Engine, text: str, comparisons: Sequence[Comparison]
    ) -> Iterator[tuple[Comparison, list[float]]]:
        """The log-probability of each spelling, for all comparisons."""
        source = self._tokenizer.encode(text)
        encoded = [self._encode(source, text, one) for one in comparisons]
        scores = score_continuations(engine, source, [choice for _, choice in encoded], self._tokenizer)
        return zip((comparison for comparison, _ in encoded), scores, strict=True)

    def _encode(self, source: Sequence[int], text: str, comparison: Comparison) -> tuple[Comparison, Choice]:
        """The tokens of all spellings of a word, each with the token behind the word.

        Left out are spellings with which the text before the word has other tokens.
        """
        span = comparison.span
        position = self._tokenizer.pieces(source).overlapping(span.start, span.end)[0]
        spellings, continuations = [], []
        for word in comparison.spellings:
            ids = self._tokenizer.encode(f"{text[: span.start]}{word}{text[span.end :]}")
            end = self._tokenizer.pieces(ids).overlapping(span.start, span.start + len(word))[-1] + 1
            if ids[:position] == source[:position]:
                spellings.append(word)
                continuations.append([*ids[position:end], ids[end] if end < len(ids) else self._tokenizer.eos])
        return Comparison(span, spellings), Choice(position, continuations)


def _differ_at_end(word: str, other: str) -> bool:
    """Whether two words are the same but for the last letter of either."""
    return word[:-1] in (other, other[:-1]) or word == other[:-1]


def _choose(comparison: Comparison, scores: Sequence[float]) -> Respelling | None:
    """The likeliest spelling, if it is not the word as it is."""
    best = max(range(len(scores)), key=lambda number: scores[number])
    if not best or scores[best] == -math.inf:
        return None
    share = 1 / sum(math.exp(score - scores[best]) for score in scores)
    return Respelling(comparison.span, comparison.spellings[best], share)
