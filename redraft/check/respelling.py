"""Corrects unknown words that the model has copied, if it finds a known word likelier in their place.

A model copies a misspelt word whose tokens look like those of a name. So the word is read in several ways: in the
tokens that the tokenizer gives, and in shorter ones. What the model would write for it then, and the known words one
letter away, are compared with the word as it is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from redraft.check.recent_cache import RecentCache
from redraft.decode.continuations import Choice, continue_words, score_continuations
from redraft.decode.stepper import Engine
from redraft.edits.caution import CONTENT_ROOT, SHORTEST_MISSPELLING, is_plain_misspelling
from redraft.edits.letter_distance import letter_distance
from redraft.edits.rules import CONTRACTIONS
from redraft.model.known_words import LONGEST_WORD, KnownWords
from redraft.text.span import Span
from redraft.tokens.short_tokens import CUTS, cut_tokens
from redraft.tokens.tokenizer import Tokenizer

_MOST_UNKNOWN = 4
"""Unknown words of a sentence; one with more of them is in another language, or full of names."""
_POWER = 2.0
"""The power of the threshold that a word must reach in the mean of all readings."""
_LEAST_CONFIDENCE = 0.5
_LEAST_POSSIBLE = 0.25
"""The least confidence of a possible misspelling."""
_LEAST_PROBABILITY = 0.0025
"""The least probability of a known word one letter away from an unknown one, in the tokens of the tokenizer, if it is
a possible misspelling."""
_CACHED = 64


@dataclass(frozen=True, slots=True)
class Respelling:
    """A known word for an unknown one of a text.

    Its confidence is its share in the probability of all spellings that were compared.
    """

    span: Span
    word: str
    confidence: float


@dataclass(frozen=True, slots=True)
class _Spelling:
    word: str
    is_near: bool
    """Whether it is at most one letter away from the word as it is."""
    probability: float
    """In the tokens of the tokenizer."""
    mean: float
    """Of all readings; 0 if the word was read in the tokens of the tokenizer alone."""


@dataclass(frozen=True, slots=True)
class _Comparison:
    """The spellings of an unknown word: first the word as it is, then the known words."""

    span: Span
    spellings: Sequence[_Spelling]

    def choose(self) -> Respelling | None:
        """The likeliest known word by all readings."""
        return self._choose([one.mean for one in self.spellings])

    def choose_near(self) -> Respelling | None:
        """The likeliest word one letter away, in the tokens of the tokenizer."""
        return self._choose([one.probability if one.is_near else 0.0 for one in self.spellings])

    def _choose(self, probabilities: Sequence[float]) -> Respelling | None:
        best = max(range(1, len(probabilities)), key=lambda number: probabilities[number], default=0)
        if not best or not probabilities[best]:
            return None
        return Respelling(self.span, self.spellings[best].word, probabilities[best] / sum(probabilities))

    def find_possible_near(self) -> Respelling | None:
        """The likeliest word one letter away, if it is possible at all.

        Words that differ at their ends alone are left out: an unknown word is often another form of a known one.
        """
        if not self.spellings:
            return None
        word, *others = self.spellings
        near = [one for one in others if one.is_near]
        best = max(near, key=lambda one: one.probability, default=None)
        if best is None or best.probability < _LEAST_PROBABILITY or _differ_at_end(word.word, best.word):
            return None
        return Respelling(self.span, best.word, best.probability)


class Respeller:
    """Finds respellings with one model."""

    def __init__(self, tokenizer: Tokenizer, known_words: KnownWords) -> None:
        self._tokenizer = tokenizer
        self._known_words = known_words
        # A sentence is asked for its respellings, and then for possible ones.
        self._compared = RecentCache[str, Sequence[_Comparison]](_CACHED)

    def select(self, text: str, unknown: Sequence[Span]) -> list[Span]:
        """The unknown words of a normalized sentence that can be compared; none if there are too many of them."""
        if len(unknown) > _MOST_UNKNOWN:
            return []
        return [span for span in unknown if self._can_compare(span.of(text).lower())]

    def _can_compare(self, word: str) -> bool:
        """Whether a word is in letters from a to z, no compound of two common words, such as “coffeetable”, and lacks
        no apostrophe."""
        if len(word) > LONGEST_WORD or not word.isascii() or word in CONTRACTIONS:
            return False
        cuts = range(SHORTEST_MISSPELLING, len(word) - SHORTEST_MISSPELLING + 1)
        return not any(self._is_common(word[:cut]) and self._is_common(word[cut:]) for cut in cuts)

    def _is_common(self, word: str) -> bool:
        """Whether a word is known and one token."""
        return f" {word}" in self._tokenizer.ids_by_text and word in self._known_words

    def find(self, engine: Engine, text: str, unknown: Sequence[Span], threshold: float) -> list[Respelling]:
        """The respellings of selected words of a normalized sentence; at least a confidence of 0.5 is needed.

        For the only unknown word of a sentence the square of the threshold is enough in the mean of all readings, if it
        is in small letters: it is no name then, and the text is no list of codes. If more than one letter in four is
        wrong, the word must be as sure as other words are.
        """
        found = []
        for comparison in self._compare(engine, text, unknown):
            word = comparison.span.of(text)
            power = _POWER if len(unknown) == 1 and word.islower() else 1
            best, near = comparison.choose(), comparison.choose_near()
            if best and not is_plain_misspelling(word, best.word):
                power = 1 / CONTENT_ROOT
            if best and near and best.word != near.word:
                near = None  # the readings do not agree
            choices = (best, threshold**power), (near, threshold)
            sure = (one for one, least in choices if one and one.confidence >= max(least, _LEAST_CONFIDENCE))
            found += list(sure)[:1]
        return found

    def find_possible(self, engine: Engine, text: str, unknown: Sequence[Span]) -> list[Respelling]:
        """The known words that the model finds possible instead of selected words, though it copies these."""
        found = []
        for comparison in self._compare(engine, text, unknown):
            best = comparison.choose()
            possible = best if best and best.confidence >= _LEAST_POSSIBLE else comparison.find_possible_near()
            if possible:
                found.append(possible)
        return found

    def _compare(self, engine: Engine, text: str, unknown: Sequence[Span]) -> Sequence[_Comparison]:
        """The spellings of words, in the order of the text."""
        known = self._compared.get(text)
        if known is not None and [one.span for one in known] == list(unknown):
            return known
        written = self._tokenizer.encode(text)
        pieces = self._tokenizer.pieces(written)
        places = [pieces.overlapping(span.start, span.end) for span in unknown]
        words = [span.of(text) for span in unknown]
        near = [self._find_near(word) for word in words]
        readings = [self._cut(written, places, *cut) for cut in CUTS]
        proposed = self._propose(engine, readings, written, places, words)
        if not any(proposed):
            readings = []
        encoded = [
            self._encode(written, text, span, place[0], list(dict.fromkeys([word, *one, *sorted(other)])))
            for span, place, word, one, other in zip(unknown, places, words, near, proposed, strict=True)
        ]
        choices = [choice for _, choice in encoded]
        compared = any(len(spellings) > 1 for spellings, _ in encoded)
        scored = [
            score_continuations(engine, source, written, choices, self._tokenizer)
            for source in ((written, *readings) if compared else ())
        ]
        found = [
            _Comparison(span, _weigh(spellings, [scores[number] for scores in scored]) if compared else ())
            for number, (span, (spellings, _)) in enumerate(zip(unknown, encoded, strict=True))
        ]
        self._compared.put(text, found)
        return found

    def _find_near(self, word: str) -> list[str]:
        """The known words one letter away."""
        return [_in_case_of(word, other) for other in self._known_words.near(word.lower())]

    def _propose(
        self,
        engine: Engine,
        readings: Sequence[Sequence[int]],
        written: Sequence[int],
        places: Sequence[Sequence[int]],
        words: Sequence[str],
    ) -> list[set[str]]:
        """For each word, the known words that the model writes for it in some reading.

        Most words are rare, not misspelt: the model copies them in single letters, the first reading, and the others
        are not asked for.
        """
        nothing: list[set[str]] = [set() for _ in words]
        if len(readings[0]) >= engine.max_tokens:
            return nothing
        in_letters = self._write_words(engine, readings[:1], written, places)
        if all(one == {word.lower()} for one, word in zip(in_letters, words, strict=True)):
            return nothing
        others = self._write_words(engine, readings[1:], written, places)
        return [
            {_in_case_of(word, other) for other in first | second if self._is_respelling(word.lower(), other)}
            for word, first, second in zip(words, in_letters, others, strict=True)
        ]

    def _write_words(
        self,
        engine: Engine,
        readings: Sequence[Sequence[int]],
        written: Sequence[int],
        places: Sequence[Sequence[int]],
    ) -> list[set[str]]:
        """For each word, what the model writes for it in some readings, in small letters."""
        found = continue_words(engine, readings, written, [place[0] for place in places], self._tokenizer)
        return [{self._tokenizer.decode(ids).strip().lower() for ids in words} for words in found]

    def _cut(self, written: Sequence[int], places: Sequence[Sequence[int]], first: int, length: int) -> list[int]:
        """A text with the tokens at some places cut into shorter ones."""
        found: list[int] = []
        end = 0
        for place in places:
            word = written[place[0] : place[-1] + 1]
            found += [*written[end : place[0]], *cut_tokens(self._tokenizer, word, first, length)]
            end = place[-1] + 1
        return [*found, *written[end:]]

    def _is_respelling(self, word: str, other: str) -> bool:
        """Whether the other word is known and of similar letters. A word that has it as a part is derived from it."""
        return (
            other.isalpha()
            and other not in word
            and letter_distance(word, other) <= len(word) // 3
            and other in self._known_words
        )

    def _encode(
        self, written: Sequence[int], text: str, span: Span, position: int, words: Sequence[str]
    ) -> tuple[list[str], Choice]:
        """The tokens of all spellings of a word, each with the token behind the word.

        Left out are spellings with which the text before the word has other tokens.
        """
        spellings, continuations = [], []
        for word in words:
            ids = self._tokenizer.encode(f"{text[: span.start]}{word}{text[span.end :]}")
            end = self._tokenizer.pieces(ids).overlapping(span.start, span.start + len(word))[-1] + 1
            if ids[:position] == written[:position]:
                spellings.append(word)
                continuations.append([*ids[position:end], ids[end] if end < len(ids) else self._tokenizer.eos])
        return spellings, Choice(position, continuations)


def _weigh(words: Sequence[str], scores: Sequence[Sequence[float]]) -> list[_Spelling]:
    """Words with their probabilities. `scores` are the log-probabilities of all words, for each reading."""
    found = []
    for number, word in enumerate(words):
        probabilities = [math.exp(reading[number]) for reading in scores]
        is_near = letter_distance(words[0], word) <= 1
        mean = sum(probabilities) / len(probabilities) if len(probabilities) > 1 else 0.0
        found.append(_Spelling(word, is_near, probabilities[0], mean))
    return found


def _in_case_of(word: str, other: str) -> str:
    """The other word, with a capital if the word has one."""
    return other if word.islower() else other.capitalize()


def _differ_at_end(word: str, other: str) -> bool:
    """Whether two words are the same but for the last letter of either."""
    return word[:-1] in (other, other[:-1]) or word == other[:-1]
