"""Synthetic errors: puts into a clean sentence errors such as people make.

Everything that depends on the language is in the error table; here are only look-ups and draws, so that one core does
thousands of sentences a second. The draws depend on the seed and the index of the sentence alone.
"""

from __future__ import annotations

import math
import random
from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, auto
from itertools import accumulate, pairwise

from redraft.lab.data.actions import Actions, Change, Sentence, Token
from redraft.lab.data.chat import write_as_chat
from redraft.lab.data.error_options import LENGTH_FACTORS, ErrorOption, ErrorOptions
from redraft.lab.data.fragments import cut_fragment
from redraft.lab.data.noise_rates import NoiseRates
from redraft.lab.data.pair import Pair
from redraft.lab.data.strange_strings import StrangeStrings
from redraft.lab.data.table import ErrorTable, Family
from redraft.lab.data.tokenization import curl, split_chunk

CACHE_LIMIT = 400_000
"""Most words that a cache holds. Common words come first; when it is full, the options of others are listed anew."""
LARGEST_DRILL_RATE = 0.6
"""Largest share of the occurrences of a word that are replaced by another one of its confusion set."""
MISSPELT_FRAGMENT_SHARE = 0.25
REPLACED_NAME_SHARE = 0.7
FEWER = 3
"""Sentences with a drill or a mask, and chat, get a third of the other errors, so that their context is readable."""


class _Mode(Enum):
    """Kinds of pairs that differ from an ordinary sentence with errors."""

    CHAT = auto()
    FRAGMENT = auto()
    STRANGE = auto()
    MASKED = auto()
    ORDINARY = auto()


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
    """Puts errors into clean sentences. Each process has an object of its own, made from the same table."""

    def __init__(self, table: ErrorTable, seed: int = 0, rates: NoiseRates | None = None) -> None:
        self.table = table
        self.rates = rates or NoiseRates.of(table)
        self._seed = seed << 48
        self._random = random.Random(seed)
        self._draw = self._random.random
        self._actions = Actions(table, self._draw, self.rates.two_slips)
        self._options = ErrorOptions(table, self._actions)
        self._strange = StrangeStrings([word for word, rank in table.ranks.items() if rank < 3], self._draw)
        rates = self.rates
        # One draw decides; a table without these rates needs none, and gives the same pairs as it always did.
        self._modes = tuple(accumulate((rates.chat, rates.fragments, rates.strange, rates.masked)))
        self._drill_heads = {key.partition(" ")[0] for key in table.drills} if rates.drills else set()
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
        """The sentence with errors. `tokenized`: the sentence and the result have spaces between all tokens."""
        self._random.seed(self._seed ^ index)
        return self._corrupt(self._read(sentence, unsplit=tokenized), tokenized)

    def pair(self, sentence: str, index: int, following: str = "") -> Pair:
        """A pair whose target is the sentence, raw, with curly quotation marks or tokenized.

        `following` is the sentence after it in the text, which is sometimes joined to it.
        """
        self._random.seed(self._seed ^ index)
        if following and self._draw() < self.rates.joined:
            sentence = f"{sentence} {following}" if self.table.unit == "word" else sentence + following
        if self.table.unit == "character":
            return Pair(self._corrupt(self._read(sentence, unsplit=False), tokenized=False), sentence)
        mode = self._choose_mode()
        if mode is _Mode.FRAGMENT and (fragment := self._make_fragment(sentence)):
            return fragment
        tokenized = self._draw() < self.rates.tokenized
        if not tokenized and self._draw() < self.rates.typographic:
            sentence = curl(sentence)
        read = self._read(sentence, unsplit=tokenized and self._draw() < self.rates.unsplit)
        if mode is _Mode.STRANGE:
            self._insert_string(read)
            target = write(read, [], " " if tokenized else None)
        else:
            target = " ".join([token.text for token in read.tokens]) if tokenized else " ".join(sentence.split())
        return Pair(self._corrupt(read, tokenized, mode), target)

    def _choose_mode(self) -> _Mode:
        if not self._modes[-1]:
            return _Mode.ORDINARY
        return _MODES[bisect(self._modes, self._draw())]

    def _make_fragment(self, sentence: str) -> Pair | None:
        words = cut_fragment(sentence.split(), self.table.function_words, self._draw)
        if not words:
            return None
        target = " ".join(words)
        if self._draw() < MISSPELT_FRAGMENT_SHARE:
            place = int(self._draw() * len(words))
            if words[place].lower() in self.table.ranks:
                words[place] = self._actions.misspell_text(words[place])
        return Pair(" ".join(words), target)

    def _insert_string(self, sentence: Sentence) -> None:
        """Put a strange string in the place of a name, or behind a word; the noise leaves it alone."""
        tokens, spaced = sentence.tokens, sentence.spaced
        words = [place for place, token in enumerate(tokens) if token.word]
        if not words:
            return
        names = [
            place
            for place in words[1:]
            if tokens[place].text[0].isupper() and tokens[place].lower not in self.table.ranks
        ]
        if names and self._draw() < REPLACED_NAME_SHARE:
            tokens[names[int(self._draw() * len(names))]] = _fix(self._strange.make_name())
            return
        # Not before a clitic or a full stop.
        ends = [place + 1 for place in words if place + 1 < len(tokens) and spaced[place + 1]] or [len(tokens)]
        place = ends[int(self._draw() * len(ends))]
        string = _fix(self._strange.make())
        if self._draw() < 0.5:
            tokens[place:place], spaced[place:place] = [string], [True]
        else:
            tokens[place:place], spaced[place:place] = [_fix("("), string, _fix(")")], [True, False, False]

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

    def _corrupt(self, sentence: Sentence, tokenized: bool, mode: _Mode = _Mode.ORDINARY) -> str:
        tokens = sentence.tokens
        separator = "" if self.table.unit == "character" else " " if tokenized else None
        errors = self._draw_count(len(tokens))
        changes = self._mask(sentence) if mode is _Mode.MASKED else []
        if self._drill_heads:
            changes += self._drill(sentence)
        if changes or mode is _Mode.CHAT:
            errors //= FEWER
        elif not errors:
            return write(sentence, [], separator)
        if errors:
            changes = self._draw_changes(sentence, errors, changes)
        text = write(sentence, changes, separator)
        if mode is _Mode.CHAT:
            return write_as_chat(text, self._draw)
        return text.lower() if self._draw() < self.rates.careless else text

    def _draw_changes(self, sentence: Sentence, errors: int, changes: list[Change]) -> list[Change]:
        """The changes, and as many more as there are errors to make, none of which overlaps another."""
        tokens = sentence.tokens
        weights = [token.weight for token in tokens]
        phrases = self._find_phrases(sentence)
        weights += [phrase.token.weight for phrase in phrases]
        cumulative = list(accumulate(weights))
        if not cumulative or not cumulative[-1]:
            return changes
        draw, contexts, size = self._draw, self.table.contexts, len(tokens)
        taken = bytearray(size + 1)
        for change in changes:
            taken[change.start : change.end] = b"\x01" * (change.end - change.start)
        wanted = len(changes) + errors
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
            made = action.act(sentence, place, action.payload)
            if made is None or any(taken[made.start : made.end]):
                continue
            taken[made.start : made.end] = b"\x01" * (made.end - made.start)
            changes.append(made)
            if len(changes) == wanted:
                break
        return changes

    def _mask(self, sentence: Sentence) -> list[Change]:
        mean, draw, mask = self.rates.mask_mean, self._draw, self._actions.mask
        return [mask(sentence, place) for place, token in enumerate(sentence.tokens) if token.word and draw() < mean]

    def _drill(self, sentence: Sentence) -> list[Change]:
        """Replace words of confusion sets by others of their set."""
        changes: list[Change] = []
        tokens, drills = sentence.tokens, self.table.drills
        end = 0
        for place, token in enumerate(tokens):
            if not token.drilled or place < end:
                continue
            length = 2
            drill = drills.get(f"{token.lower} {tokens[place + 1].lower}") if place + 1 < len(tokens) else None
            if drill is None:
                length, drill = 1, drills.get(token.lower)
            if drill is None or self._draw() >= min(LARGEST_DRILL_RATE, self.rates.drills * drill.weight):
                continue
            wrong = drill.wrongs[int(self._draw() * len(drill.wrongs))]
            made = self._actions.replace(sentence, place, f"{length}:{wrong}")
            if made is not None:
                changes.append(made)
                end = made.end
        return changes

    def _draw_count(self, length: int) -> int:
        """The number of errors: none, or a gamma-distributed share of the tokens, at least one."""
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
            token = self._phrases[key] = self._weigh(
                key, word=True, options=list(self._options.list_candidates(key, length))
            )
        found.append(_Phrase(place, length, token))

    def measure(self, sentences: Iterable[str]) -> dict[str, float]:
        """The sum of the rates of each family, per token: the density of a table."""
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
                for option in self._options.list_options(text, is_first):
                    sums[option.family] += count * option.rate
        for (key, length), count in phrases.items():
            for option in self._options.list_candidates(key, length):
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
        known = lower in table.ranks or lower in table.candidates or lower in table.splits or lower in self._drill_heads
        if known or not text[0].isalpha():
            return self._weigh(text, text[0].isalpha(), list(self._options.list_options(text, first)))
        # Names and rare words, which are endless in number, differ in little but their letters: they share options.
        shape = (first, text.islower(), text[1:].islower(), _script_of(text), min(len(text), len(LENGTH_FACTORS)))
        model = self._shapes.get(shape)
        if model is None:
            model = self._shapes[shape] = self._weigh(text, True, list(self._options.list_options(text, first)))
        return Token(text, lower, True, False, None, False, model.actions, model.cumulative, model.weight)

    def _weigh(self, text: str, word: bool, options: list[ErrorOption]) -> Token:
        lower = text.lower()
        weights = [option.rate * self._scale[option.family] for option in options]
        cumulative = list(accumulate(weights))
        weight = cumulative[-1] if cumulative else 0.0
        function = lower in self.table.function_words
        actions = [option.action for option in options]
        followers = self._followers.get(lower)
        return Token(text, lower, word, function, followers, lower in self._drill_heads, actions, cumulative, weight)


_MODES = tuple(_Mode)


def _fix(text: str) -> Token:
    """A token that no error is put into."""
    return Token(text, text.lower(), False, False, None, False, [], [], 0.0)


def _script_of(text: str) -> str:
    return "letters" if text.isalpha() else "digits" if any(map(str.isdigit, text)) else "mixed"


def write(sentence: Sentence, changes: list[Change], separator: str | None) -> str:
    """The text after the changes. `separator` goes between all tokens; None spaces them as the sentence does."""
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
