"""Synthetic errors: takes a clean sentence and makes it wrong in the ways people are.

Everything language-dependent is in the error table; here are only look-ups and draws, so that many thousand sentences a
second come out of one core. The draws depend on the seed and the index of the sentence alone.
"""

from __future__ import annotations

import math
import random
from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import accumulate, pairwise

from redraft.errors import ConfigError
from redraft.lab.data.actions import Action, Actions, Change, Sentence, Token
from redraft.lab.data.pair import Pair
from redraft.lab.data.table import ErrorTable, Family
from redraft.lab.data.tokenization import curl, split_chunk

SHARES: Mapping[Family, float] = {
    Family.PUNCTUATION: 0.15,
    Family.SPELLING: 0.16,
    Family.ARTICLE: 0.12,
    Family.PREPOSITION: 0.09,
    Family.VERB: 0.065,
    Family.VERB_FORM: 0.07,
    Family.NOUN_NUMBER: 0.065,
    Family.AGREEMENT: 0.04,
    Family.WORD_FORM: 0.03,
    Family.CHOICE: 0.05,
    Family.FUNCTION: 0.03,
    Family.PRONOUN: 0.025,
    Family.CASING: 0.04,
    Family.SPACING: 0.035,
    Family.ORDER: 0.025,
    Family.REPEAT: 0.01,
    Family.DROP: 0.005,
    Family.STRETCH: 0.015,
}
CACHE_LIMIT = 400_000
"""Words a table of look-ups holds at most. The common ones are met first; when it is full, the rest are made anew."""
RANK_FACTORS = (0.25, 0.6, 1.0, 1.5, 1.5)
UNKNOWN_FACTOR = 0.1
LENGTH_FACTORS = (0.0, 0.0, 0.08, 0.2, 0.6, 0.9, 1.0, 1.2)
LONG_FACTOR = 1.5
SLIP = 1000.0
"""The unit of the rates given here, in the table's measure: one in a hundred."""


@dataclass(frozen=True)
class NoiseRates:
    clean: float = 0.12
    """Share of sentences left as they are."""
    mean: float = 0.14
    """Mean share of a sentence's tokens that get an error, over the sentences that get any."""
    most: float = 0.5
    """No sentence gets errors in more than this share of its tokens."""
    careless: float = 0.01
    """Share of sentences written without any capital."""
    tokenized: float = 0.3
    """Share of pairs spelled as M2 corpora are."""
    unsplit: float = 0.35
    """Share of the tokenized pairs whose hyphens stay inside words, as in CoNLL."""
    typographic: float = 0.05
    """Share of the raw pairs with curly quotation marks."""
    joined: float = 0.05
    """Share of sentences that the following one is joined to, where it is given, so that comma splices come about."""
    shares: Mapping[Family, float] = field(default_factory=lambda: SHARES)

    @classmethod
    def of(cls, table: ErrorTable) -> NoiseRates:
        """What suits the table's language."""
        shares = {Family(name): share for name, share in table.shares.items()}
        return cls(**table.rates, shares=shares or SHARES)

    def __post_init__(self) -> None:
        for name in ("clean", "mean", "most", "careless", "tokenized", "unsplit", "typographic", "joined"):
            if not 0 <= getattr(self, name) <= 1:
                raise ConfigError(f"the noise rate {name} must lie between 0 and 1, got {getattr(self, name)}")
        if any(share < 0 for share in self.shares.values()) or not sum(self.shares.values()):
            raise ConfigError("the shares of the error families must not be negative, nor all zero")


@dataclass(frozen=True, slots=True)
class _Option:
    family: Family
    rate: float
    action: Action


@dataclass(frozen=True, slots=True)
class _Chunk:
    tokens: tuple[Token, ...]
    spaced: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class _Phrase:
    place: int
    length: int
    token: Token


class Noiser:
    """Makes clean sentences wrong. One object serves one process; workers make their own from the same table."""

    def __init__(self, table: ErrorTable, seed: int = 0, rates: NoiseRates | None = None) -> None:
        self.table = table
        self.rates = rates or NoiseRates.of(table)
        self._seed = seed << 48
        self._random = random.Random(seed)
        self._draw = self._random.random
        self._actions = Actions(table, self._draw)
        self._scale = {
            family: self.rates.shares.get(family, 0.0) / (table.density.get(family) or 1.0) for family in Family
        }
        self._followers: dict[str, set[str]] = defaultdict(set)
        for key in table.candidates:
            if " " in key:
                head, follower = key.split(" ", 2)[:2]
                self._followers[head].add(follower)
        self._chunks: dict[str, _Chunk] = {}
        self._unsplit_chunks: dict[str, _Chunk] = {}
        self._tokens: dict[str, Token] = {}
        self._shapes: dict[tuple[bool, bool, bool, str, int], Token] = {}
        self._firsts: dict[str, Token] = {}
        self._phrases: dict[str, Token] = {}

    def corrupt(self, sentence: str, index: int, tokenized: bool = False) -> str:
        """The sentence with errors; `tokenized` says that its tokens stand between spaces, and keeps them so."""
        self._random.seed(self._seed ^ index)
        return self._spoil(self._read(sentence, unsplit=tokenized), tokenized)

    def pair(self, sentence: str, index: int, following: str = "") -> Pair:
        """The sentence in one of the spellings (raw, curly quotes, tokenized), and the same with errors.

        `following`, the sentence after it in the text, is now and then joined to it.
        """
        self._random.seed(self._seed ^ index)
        if following and self._draw() < self.rates.joined:
            sentence = f"{sentence} {following}" if self.table.unit == "word" else sentence + following
        if self.table.unit == "character":
            return Pair(self._spoil(self._read(sentence, unsplit=False), tokenized=False), sentence)
        if self._draw() < self.rates.tokenized:
            read = self._read(sentence, unsplit=self._draw() < self.rates.unsplit)
            target = " ".join([token.text for token in read.tokens])
            return Pair(self._spoil(read, tokenized=True), target)
        if self._draw() < self.rates.typographic:
            sentence = curl(sentence)
        target = " ".join(sentence.split())
        return Pair(self._spoil(self._read(sentence, unsplit=False), tokenized=False), target)

    def _read(self, text: str, unsplit: bool) -> Sentence:
        chunks = self._unsplit_chunks if unsplit else self._chunks
        tokens: list[Token] = []
        spaced: list[bool] = []
        for piece in text.split() if self.table.unit == "word" else text:
            chunk = chunks.get(piece)
            if chunk is None:
                chunk = self._learn(piece, unsplit, chunks)
            tokens += chunk.tokens
            spaced += chunk.spaced
        for place, token in enumerate(tokens):
            if token.word:
                tokens[place] = self._find_token(token.text, self._firsts, first=True)
                return Sentence(tokens, spaced, place)
        return Sentence(tokens, spaced, -1)

    def _learn(self, piece: str, unsplit: bool, chunks: dict[str, _Chunk]) -> _Chunk:
        texts = split_chunk(piece, not unsplit) if self.table.unit == "word" else (piece,)
        tokens = tuple(self._find_token(text, self._tokens, first=False) for text in texts)
        chunk = _Chunk(tokens, (self.table.unit == "word", *[False] * (len(texts) - 1)))
        if len(chunks) < CACHE_LIMIT:
            chunks[piece] = chunk
        return chunk

    def _spoil(self, sentence: Sentence, tokenized: bool) -> str:
        tokens = sentence.tokens
        separator = "" if self.table.unit == "character" else " " if tokenized else None
        errors = self._draw_count(len(tokens))
        if not errors:
            return write(sentence, [], separator)
        weights = [token.weight for token in tokens]
        phrases = self._find_phrases(sentence)
        weights += [phrase.token.weight for phrase in phrases]
        cumulative = list(accumulate(weights))
        if not cumulative or not cumulative[-1]:
            return write(sentence, [], separator)
        draw, contexts, size = self._draw, self.table.contexts, len(tokens)
        changes: list[Change] = []
        taken = bytearray(size + 1)
        for _ in range(errors * 3):
            place = bisect(cumulative, draw() * cumulative[-1])
            if place < size:
                token = tokens[place]
            else:
                phrase = phrases[place - size]
                token, place = phrase.token, phrase.place
            if taken[place]:
                continue
            action = token.actions[bisect(token.cumulative, draw() * token.weight)]
            if action.context and not action.fits(contexts.get(tokens[place - 1].lower, "") if place else "^"):
                continue
            change = action.act(sentence, place, action.payload)
            if change is None or any(taken[change.start : change.end]):
                continue
            taken[change.start : change.end] = b"\x01" * (change.end - change.start)
            changes.append(change)
            if len(changes) == errors:
                break
        text = write(sentence, changes, separator)
        return text.lower() if draw() < self.rates.careless else text

    def _draw_count(self, length: int) -> int:
        """How many errors: none, or a gamma-distributed share of the tokens, at least one."""
        draw = self._draw
        if draw() < self.rates.clean:
            return 0
        # 1 - draw() is never 0, the sum of two exponentials is a gamma of shape 2.
        share = -0.5 * self.rates.mean * math.log((1 - draw()) * (1 - draw()))
        return max(1, int(min(share, self.rates.most) * length + draw()))

    def _find_phrases(self, sentence: Sentence) -> list[_Phrase]:
        found: list[_Phrase] = []
        tokens = sentence.tokens
        last = len(tokens) - 1
        for place, (token, following) in enumerate(pairwise(tokens)):
            if token.followers and following.lower in token.followers:
                key = f"{token.lower} {following.lower}"
                self._add_phrase(found, key, place, 2)
                if place + 1 < last:
                    self._add_phrase(found, f"{key} {tokens[place + 2].lower}", place, 3)
        return found

    def _add_phrase(self, found: list[_Phrase], key: str, place: int, length: int) -> None:
        token = self._phrases.get(key)
        if token is None:
            if key not in self.table.candidates:
                return
            token = self._phrases[key] = self._weigh(key, word=True, options=list(self._list_candidates(key, length)))
        found.append(_Phrase(place, length, token))

    def measure(self, sentences: Iterable[str]) -> dict[str, float]:
        """The sum of the rates of each family, a token: what a table keeps as its density."""
        inner: Counter[str] = Counter()
        first: Counter[str] = Counter()
        phrases: Counter[tuple[str, int]] = Counter()
        for text in sentences:
            sentence = self._read(text, unsplit=False)
            inner.update(token.text for place, token in enumerate(sentence.tokens) if place != sentence.first)
            if sentence.first >= 0:
                first[sentence.tokens[sentence.first].text] += 1
            phrases.update((phrase.token.lower, phrase.length) for phrase in self._find_phrases(sentence))
        sums: dict[Family, float] = defaultdict(float)
        for counts, is_first in ((inner, False), (first, True)):
            for text, count in counts.items():
                for option in self._list_options(text, is_first):
                    sums[option.family] += count * option.rate
        for (key, length), count in phrases.items():
            for option in self._list_candidates(key, length):
                sums[option.family] += count * option.rate
        total = max(1, inner.total() + first.total())
        return {family.value: sums[family] / total for family in Family}

    def _find_token(self, text: str, cache: dict[str, Token], first: bool) -> Token:
        token = cache.get(text)
        if token is None:
            token = self._make_token(text, first)
            if len(cache) < CACHE_LIMIT:
                cache[text] = token
        return token

    def _make_token(self, text: str, first: bool) -> Token:
        lower = text.lower()
        table = self.table
        if lower in table.ranks or lower in table.candidates or lower in table.splits or not text[0].isalpha():
            return self._weigh(text, text[0].isalpha(), list(self._list_options(text, first)))
        # Names and rare words, of which there is no end, differ in little but their letters: they share their options.
        shape = (first, text.islower(), text[1:].islower(), _script_of(text), min(len(text), len(LENGTH_FACTORS)))
        model = self._shapes.get(shape)
        if model is None:
            model = self._shapes[shape] = self._weigh(text, True, list(self._list_options(text, first)))
        return Token(text, lower, True, False, None, model.actions, model.cumulative, model.weight)

    def _weigh(self, text: str, word: bool, options: list[_Option]) -> Token:
        lower = text.lower()
        weights = [option.rate * self._scale[option.family] for option in options]
        cumulative = list(accumulate(weights))
        weight = cumulative[-1] if cumulative else 0.0
        function = lower in self.table.function_words
        actions = [option.action for option in options]
        return Token(text, lower, word, function, self._followers.get(lower), actions, cumulative, weight)

    def _list_candidates(self, key: str, length: int) -> Iterator[_Option]:
        replace = self._actions.replace
        for candidate in self.table.candidates.get(key, ()):
            action = Action(replace, f"{length}:{candidate.wrong}", candidate.context)
            yield _Option(candidate.family, candidate.rate, action)

    def _list_options(self, text: str, first: bool) -> Iterator[_Option]:
        """All that may happen to a token, with its rate."""
        lower = text.lower()
        if not any(map(str.isalpha, text)):
            if not any(map(str.isdigit, text)):
                yield from self._list_candidates(lower, 1)
                yield from self._list_punctuation(text)
            return
        if any(map(str.isdigit, text)):
            return
        known = lower in self.table.ranks
        if self.table.unit == "character":
            if known:
                yield from self._list_candidates(lower, 1)
                yield from self._list_disorder(lower in self.table.function_words)
                yield from self._list_word_disorder()
            return
        yield from self._list_casing(text, first, known)
        pronoun = lower != text and lower in self.table.contexts and len(text) == 1
        if text == lower or pronoun or (first and known and text[1:].islower()):
            yield from self._list_candidates(lower, 1)
            yield from self._list_slips(lower, known)
        elif text[1:].islower() and text.isalpha():
            # A name: seldom misspelled, never replaced.
            yield _Option(Family.SPELLING, 0.05 * SLIP, Action(self._actions.misspell))

    def _list_punctuation(self, text: str) -> Iterator[_Option]:
        if text in {",", ".", ";", ":", "?", "!", ")"}:
            yield _Option(Family.SPACING, 1.5 * SLIP, Action(self._actions.space_before))
        if text in {",", ";", ":", ".", ")"}:
            yield _Option(Family.SPACING, 1.5 * SLIP, Action(self._actions.unspace_after))

    def _list_casing(self, text: str, first: bool, known: bool) -> Iterator[_Option]:
        change_case = self._actions.change_case
        if text.islower():
            if len(text) > 2 and not first:
                yield _Option(Family.CASING, 0.06 * SLIP, Action(change_case, "title"))
                yield _Option(Family.CASING, 0.004 * SLIP, Action(change_case, "upper"))
        elif len(text) == 1:
            yield _Option(Family.CASING, 4.0 * SLIP, Action(change_case, "lower"))
        elif text[1:].islower():
            yield _Option(Family.CASING, SLIP * (1.0 if first or known else 0.5), Action(change_case, "lower"))

    def _list_slips(self, lower: str, known: bool) -> Iterator[_Option]:
        """Spelling, spacing and the errors of order, which need no table of wrong forms."""
        actions = self._actions
        function = lower in self.table.function_words
        if lower.isalpha():
            rank = self.table.ranks.get(lower)
            length = LENGTH_FACTORS[len(lower)] if len(lower) < len(LENGTH_FACTORS) else LONG_FACTOR
            frequency = UNKNOWN_FACTOR if rank is None else RANK_FACTORS[min(rank, len(RANK_FACTORS) - 1)]
            # A word that many people are known to misspell gets its due.
            listed = 1.0 + min(len(self.table.misspellings.get(lower, ())), 6) / 4
            yield _Option(Family.SPELLING, length * frequency * listed * SLIP, Action(actions.misspell))
            yield _Option(Family.SPACING, SLIP * (0.25 if function else 0.06), Action(actions.join))
            if lower in self.table.splits:
                yield _Option(Family.SPACING, 3.0 * SLIP, Action(actions.split))
        yield from self._list_disorder(function)

    def _list_disorder(self, function: bool) -> Iterator[_Option]:
        actions = self._actions
        yield _Option(Family.REPEAT, SLIP * (3.0 if function else 0.5), Action(actions.repeat))
        yield _Option(Family.ORDER, 1.0 * SLIP, Action(actions.swap))
        yield _Option(Family.ORDER, 0.4 * SLIP, Action(actions.move))
        yield _Option(Family.DROP, SLIP * (1.0 if function else 0.12), Action(actions.drop))
        yield _Option(Family.STRETCH, 0.4 * SLIP, Action(actions.repeat_stretch))
        yield _Option(Family.STRETCH, 0.6 * SLIP, Action(actions.insert_stretch))
        if function:
            yield _Option(Family.STRETCH, 2.0 * SLIP, Action(actions.drop_stretch))

    def _list_word_disorder(self) -> Iterator[_Option]:
        """The same for whole words where each character is a token."""
        actions = self._actions
        yield _Option(Family.ORDER, 1.2 * SLIP, Action(actions.swap_words))
        yield _Option(Family.DROP, 0.2 * SLIP, Action(actions.drop_word))
        yield _Option(Family.REPEAT, 0.4 * SLIP, Action(actions.repeat_word))


def _script_of(text: str) -> str:
    return "letters" if text.isalpha() else "digits" if any(map(str.isdigit, text)) else "mixed"


def write(sentence: Sentence, changes: list[Change], separator: str | None) -> str:
    """The text after the changes, its tokens parted by `separator`, or as the sentence spaces them for None."""
    texts: list[str] = []
    spaced: list[bool] = []
    place = 0
    tokens = sentence.tokens
    for change in sorted(changes, key=lambda change: change.start):
        texts += [token.text for token in tokens[place : change.start]]
        spaced += sentence.spaced[place : change.start]
        texts += change.texts
        spaced += change.spaced
        place = change.end
    texts += [token.text for token in tokens[place:]]
    spaced += sentence.spaced[place:]
    if separator is not None:
        return separator.join(texts)
    return "".join([" " + text if space else text for text, space in zip(texts, spaced, strict=True)]).lstrip(" ")
