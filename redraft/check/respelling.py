"""Corrects unknown words that the model has copied, if it finds a known word likelier in their place.

A model copies a misspelt word whose tokens look like those of a name. So the word is read in several ways: in the
tokens that the tokenizer gives, and in shorter ones. What the model would write for it then, and the known words one
letter away, are compared with the word as it is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from redraft.check.recent_cache import RecentCache
from redraft.check.word_correction import WordCorrection
from redraft.decode.continuations import Choice, continue_words, score_continuations
from redraft.decode.stepper import Engine
from redraft.edits.caution import SHORTEST_MISSPELLING
from redraft.edits.letter_distance import letter_distance
from redraft.edits.rules import CONTRACTIONS
from redraft.model.known_words import LONGEST_WORD, KnownWords
from redraft.text.span import Span
from redraft.tokens.short_tokens import CUTS, cut_tokens
from redraft.tokens.tokenizer import Tokenizer

_MOST_UNKNOWN = 4
"""Unknown words of a sentence; one with more of them is in another language, or full of names."""
_TEMPER = 0.4
"""The power of the probabilities that are compared. The model is surer of one spelling than it is right."""
_COST_OF_LETTERS = 3.4
"""How much less likely a spelling is, in nats, if all letters are wrong; in proportion if some are."""
_POWER_NEAR = 4.5
"""The power of the threshold that a word one letter away must reach if it corrects the only unknown word of a sentence,
in small letters: 0.37 for 0.8."""
_POWER_FAR = 3.0
"""The same for a word more letters away: 0.51 for 0.8."""
_POWER_OTHERS = 2.0
"""The same beside other unknown words, and for a capitalized word, which may be a name: 0.64 for 0.8."""
_LEAST_CONFIDENCE = 0.25
_LEAST_POSSIBLE = 0.1
"""The least confidence of a possible misspelling."""
_CACHED = 64


class Respeller:
    """Finds respellings with one model."""

    def __init__(self, tokenizer: Tokenizer, known_words: KnownWords) -> None:
        self._tokenizer = tokenizer
        self._known_words = known_words
        # A sentence is asked for its respellings, and then for possible ones.
        self._compared = RecentCache[tuple[str, tuple[Span, ...]], Sequence[WordCorrection]](_CACHED)

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

    def find(self, engine: Engine, text: str, unknown: Sequence[Span], threshold: float) -> list[WordCorrection]:
        """The respellings of selected words of a normalized sentence that are sure enough.

        Beside other unknown words an unknown word is more often a code, or a word of another language.
        """
        found = []
        for one in self._compare(engine, text, unknown):
            word, power = one.span.of(text), _POWER_OTHERS
            if len(unknown) == 1 and word.islower():
                power = _POWER_NEAR if letter_distance(word, one.word) <= 1 else _POWER_FAR
            if one.confidence >= max(_LEAST_CONFIDENCE, threshold**power):
                found.append(one)
        return found

    def find_possible(self, engine: Engine, text: str, unknown: Sequence[Span]) -> list[WordCorrection]:
        """The known words that may be meant instead of selected words, though the model copies these.

        Words that differ at their ends alone are left out: an unknown word is often another form of a known one.
        """
        return [
            one
            for one in self._compare(engine, text, unknown)
            if one.confidence >= _LEAST_POSSIBLE and not _differ_at_end(one.span.of(text), one.word)
        ]

    def _compare(self, engine: Engine, text: str, unknown: Sequence[Span]) -> Sequence[WordCorrection]:
        """The likeliest known word for each unknown one that has any, in the order of the text."""
        known = self._compared.get((text, tuple(unknown)))
        if known is not None:
            return known
        written = self._tokenizer.encode(text)
        pieces = self._tokenizer.pieces(written)
        places = [pieces.overlapping(span.start, span.end) for span in unknown]
        words = [span.of(text) for span in unknown]
        readings = [self._cut(written, places, *cut) for cut in CUTS]
        if len(readings[0]) >= engine.max_tokens:  # single letters: the longest one
            readings = []
        proposed = self._propose(engine, readings, written, places, words) if readings else [set() for _ in words]
        encoded = [
            self._encode(written, text, span, place[0], [word, *sorted({*self._find_near(word), *others} - {word})])
            for span, place, word, others in zip(unknown, places, words, proposed, strict=True)
        ]
        found: list[WordCorrection] = []
        if any(len(spellings) > 1 for spellings, _ in encoded):
            choices, sources = [choice for _, choice in encoded], [written, *readings]
            scored = [score_continuations(engine, one, written, choices, self._tokenizer) for one in sources]
            for number, (span, (spellings, _)) in enumerate(zip(unknown, encoded, strict=True)):
                best = _choose(span, spellings, [scores[number] for scores in scored])
                found += [best] if best else []
        self._compared.put((text, tuple(unknown)), found)
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
        in_letters = self._write_words(engine, readings[:1], written, places)
        if all(one == {word.lower()} for one, word in zip(in_letters, words, strict=True)):
            return [set() for _ in words]
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


def _choose(span: Span, spellings: Sequence[str], scores: Sequence[Sequence[float]]) -> WordCorrection | None:
    """The likeliest of some spellings of a word, of which the first is the word as it is; None if no other is likely.

    `scores` are the log-probabilities of all spellings, for each reading. The mean of their probabilities is weighed
    with the share of wrong letters. Its confidence is its share in all weights.
    """
    word = spellings[0]
    weights = [
        (sum(math.exp(reading[number]) for reading in scores) / len(scores)) ** _TEMPER
        * math.exp(-_COST_OF_LETTERS * letter_distance(word, spelling) / len(word))
        for number, spelling in enumerate(spellings)
    ]
    best = max(range(1, len(weights)), key=lambda number: weights[number], default=0)
    if not best or not weights[best]:
        return None
    return WordCorrection(span, spellings[best], weights[best] / sum(weights))


def _in_case_of(word: str, other: str) -> str:
    """The other word, with a capital if the word has one."""
    return other if word.islower() else other.capitalize()


def _differ_at_end(word: str, other: str) -> bool:
    """Whether two words are the same but for the last letter of either."""
    return word[:-1] in (other, other[:-1]) or word == other[:-1]
