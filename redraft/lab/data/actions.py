"""Actions of the noise: each makes one kind of error at a place of a sentence."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Container
from dataclasses import dataclass
from itertools import accumulate, pairwise

from redraft.lab.data.misspelling import Misspeller
from redraft.lab.data.table import ErrorTable
from redraft.lab.data.tokenization import CLITICS, NO_SPACE_BEFORE, OPENING

LONGEST_STRETCH = 4
RECAPITALIZED_SHARE = 0.85
SPACE_FOR_HYPHEN_SHARE = 0.8
MASKED_LETTER_SHARE = 0.6
MASK = "\ue000"
"""A character of the private use area, which real text does not have."""


@dataclass(frozen=True, slots=True)
class Change:
    """Replaces the tokens from start to end by `texts`; `spaced` says which have a space before them."""

    start: int
    end: int
    texts: tuple[str, ...]
    spaced: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class Action:
    act: Callable[[Sentence, int, str], Change | None]
    payload: str = ""
    context: str = ""
    """Classes of the previous word that forbid the action or, after a leading +, that it needs."""

    def fits(self, context: str) -> bool:
        if not self.context:
            return True
        if self.context[0] == "+":
            return context != "" and context in self.context
        return context == "" or context not in self.context


@dataclass(slots=True)
class Token:
    """A token of the text, and the errors it may get, by cumulative weight."""

    text: str
    lower: str
    word: bool
    function: bool
    followers: Container[str] | None
    """Words that make a phrase of the table when they come next."""
    drilled: bool
    """Whether a confusion set has this word, or a phrase that begins with it."""
    actions: list[Action]
    cumulative: list[float]
    weight: float


@dataclass(slots=True)
class Sentence:
    tokens: list[Token]
    spaced: list[bool]
    first: int
    """Place of the first word, which has the capital of the sentence; -1 if there is none."""


class Actions:
    """Each method makes one kind of error at a place, or returns None where it does not apply."""

    def __init__(self, table: ErrorTable, draw: Callable[[], float], two_slips: float = 0.0) -> None:
        self._draw = draw
        self._misspeller = Misspeller(table, draw, two_slips)
        self._insertions = tuple(table.insertions)
        self._insertion_weights = tuple(accumulate(table.insertions.values()))
        self._splits = table.splits
        self._words = table.words
        self._has_spaces = table.unit == "word"

    def replace(self, sentence: Sentence, place: int, payload: str) -> Change | None:
        """Replace tokens. `payload` is their number, a colon, and the new tokens."""
        length, _, wrong = payload.partition(":")
        end = place + int(length)
        texts = tuple(wrong.split(" ")) if wrong else ()
        if not texts:
            return self._delete(sentence, place, end)
        if place <= sentence.first and not texts[0][0].isalnum():
            return None
        if place == sentence.first and sentence.tokens[place].text[0].isupper():
            texts = (capitalize(texts[0]), *texts[1:])
        spaced = sentence.spaced[place]
        if place and not needs_space(texts[0]):
            spaced = False
        elif place and not needs_space(sentence.tokens[place].text):
            spaced = sentence.tokens[place - 1].text not in OPENING
        return Change(place, end, texts, (spaced, *(needs_space(text, before) for before, text in pairwise(texts))))

    def _delete(self, sentence: Sentence, start: int, end: int) -> Change | None:
        tokens = sentence.tokens
        if len(tokens) - (end - start) < 1:
            return None
        if end == len(tokens):
            return Change(start, end, (), ())
        following = tokens[end]
        spaced = sentence.spaced[end]
        if CLITICS.match(following.text):
            return None
        if following.word:
            spaced = sentence.spaced[start] if tokens[start].word else spaced or sentence.spaced[start]
        elif not tokens[start].word:
            spaced = spaced or sentence.spaced[start]
        if tokens[start].text == "-":
            spaced = spaced or self._draw() < SPACE_FOR_HYPHEN_SHARE
        text = following.text
        if start == sentence.first and tokens[start].text[0].isupper() and self._draw() < RECAPITALIZED_SHARE:
            text = capitalize(text) if following.word else text
        return Change(start, end + 1, (text,), (spaced,))

    def drop(self, sentence: Sentence, place: int, payload: str) -> Change | None:
        return self._delete(sentence, place, place + 1)

    def misspell(self, sentence: Sentence, place: int, payload: str) -> Change | None:
        token = sentence.tokens[place]
        wrong = self._misspeller.misspell(token.lower)
        if wrong == token.lower:
            return None
        return self._rewrite(sentence, place, match_case(wrong, token.text))

    def misspell_text(self, text: str) -> str:
        """A wrong spelling of a word, in the same case."""
        return match_case(self._misspeller.misspell(text.lower()), text)

    def change_case(self, sentence: Sentence, place: int, payload: str) -> Change | None:
        text = sentence.tokens[place].text
        wrong = text.lower() if payload == "lower" else text.upper() if payload == "upper" else capitalize(text)
        return None if wrong == text else self._rewrite(sentence, place, wrong)

    def join(self, sentence: Sentence, place: int, payload: str) -> Change | None:
        """Write a word and the next as one."""
        tokens = sentence.tokens
        if place + 1 >= len(tokens) or not sentence.spaced[place + 1] or not tokens[place + 1].text.islower():
            return None
        text = tokens[place].text + tokens[place + 1].text
        return Change(place, place + 2, (text,), (sentence.spaced[place],))

    def split(self, sentence: Sentence, place: int, payload: str) -> Change | None:
        token = sentence.tokens[place]
        halves = self._splits[token.lower].split(" ")
        cut = len(halves[0])
        return Change(place, place + 1, (token.text[:cut], token.text[cut:]), (sentence.spaced[place], True))

    def space_before(self, sentence: Sentence, place: int, payload: str) -> Change | None:
        if sentence.spaced[place] or not place:
            return None
        return Change(place, place + 1, (sentence.tokens[place].text,), (True,))

    def unspace_after(self, sentence: Sentence, place: int, payload: str) -> Change | None:
        tokens = sentence.tokens
        if place + 1 >= len(tokens) or not sentence.spaced[place + 1]:
            return None
        text = tokens[place].text + tokens[place + 1].text
        return Change(place, place + 2, (text,), (sentence.spaced[place],))

    def repeat(self, sentence: Sentence, place: int, payload: str) -> Change | None:
        token = sentence.tokens[place]
        second = token.text.lower() if place == sentence.first else token.text
        return Change(place, place + 1, (token.text, second), (sentence.spaced[place], True))

    def swap(self, sentence: Sentence, place: int, payload: str) -> Change | None:
        return self._move(sentence, place, 1)

    def move(self, sentence: Sentence, place: int, payload: str) -> Change | None:
        return self._move(sentence, place, 2 + int(self._draw() * (LONGEST_STRETCH - 1)))

    def _move(self, sentence: Sentence, place: int, distance: int) -> Change | None:
        """Move a word `distance` words to the right, or the word there to this place."""
        end = place + distance + 1
        stretch = sentence.tokens[place:end]
        if len(stretch) <= distance or not all(token.word for token in stretch):
            return None
        if self._has_spaces and not all(sentence.spaced[place + 1 : end]):
            return None
        texts = [token.text for token in stretch]
        if place == sentence.first and texts[0] != "I" and texts[0][1:].islower():
            texts[0] = texts[0].lower()
        texts = [*texts[1:], texts[0]] if self._draw() < 0.5 else [texts[-1], *texts[:-1]]
        if place == sentence.first:
            texts[0] = capitalize(texts[0])
        if [text.lower() for text in texts] == [token.lower for token in stretch]:
            return None
        return Change(place, end, tuple(texts), tuple(sentence.spaced[place:end]))

    def drop_word(self, sentence: Sentence, place: int, payload: str) -> Change | None:
        end = self._find_word_end(sentence, place)
        return self._delete(sentence, place, end) if end - place > 1 else None

    def repeat_word(self, sentence: Sentence, place: int, payload: str) -> Change | None:
        end = self._find_word_end(sentence, place)
        return self._write(sentence, place, end, (place, end), (place, end)) if end - place > 1 else None

    def swap_words(self, sentence: Sentence, place: int, payload: str) -> Change | None:
        """Exchange two words, at least one of which has several characters."""
        middle = self._find_word_end(sentence, place)
        end = self._find_word_end(sentence, middle)
        if end - place < 3 or end == middle:
            return None
        return self._write(sentence, place, end, (middle, end), (place, middle))

    def _find_word_end(self, sentence: Sentence, place: int) -> int:
        """End of the word of several tokens that begins at a place, or of the token there."""
        tokens = sentence.tokens
        for end in range(min(place + LONGEST_STRETCH, len(tokens)), place + 1, -1):
            if "".join(token.text for token in tokens[place:end]) in self._words:
                return end
        return min(place + 1, len(tokens)) if place < len(tokens) and tokens[place].word else place

    def _write(self, sentence: Sentence, start: int, end: int, *parts: tuple[int, int]) -> Change | None:
        """The tokens between `start` and `end` as parts of the sentence in another order."""
        texts = tuple(token.text for first, last in parts for token in sentence.tokens[first:last])
        same = texts == tuple(token.text for token in sentence.tokens[start:end])
        return None if same else Change(start, end, texts, (False,) * len(texts))

    def repeat_stretch(self, sentence: Sentence, place: int, payload: str) -> Change | None:
        """Write two to four tokens twice."""
        end = place + 2 + int(self._draw() * (LONGEST_STRETCH - 1))
        tokens = sentence.tokens[place:end]
        if end >= len(sentence.tokens) or not all(token.word for token in tokens):
            return None
        texts = [token.text for token in tokens]
        again = [texts[0].lower() if place == sentence.first and texts[0] != "I" else texts[0], *texts[1:]]
        spaced = sentence.spaced[place:end]
        return Change(place, end, (*texts, *again), (*spaced, True, *spaced[1:]))

    def drop_stretch(self, sentence: Sentence, place: int, payload: str) -> Change | None:
        """Leave out two or more function words in a row; a reader can restore them from the context."""
        end = place
        while end < len(sentence.tokens) and end - place < LONGEST_STRETCH and sentence.tokens[end].function:
            end += 1
        return self._delete(sentence, place, end) if end - place > 1 else None

    def insert_stretch(self, sentence: Sentence, place: int, payload: str) -> Change | None:
        """Insert two or more function words that are together elsewhere in the sentence."""
        tokens = sentence.tokens
        start = int(self._draw() * len(tokens))
        end = start
        while end < len(tokens) and end - start < LONGEST_STRETCH and tokens[end].function:
            end += 1
        if end - start < 2 or start - 1 <= place <= end or not place:
            return None
        texts = tuple(token.text if token.text == "I" else token.lower for token in tokens[start:end])
        spaced = (sentence.spaced[place], *sentence.spaced[start + 1 : end], True)
        return Change(place, place + 1, (*texts, tokens[place].text), spaced)

    def insert_word(self, sentence: Sentence, place: int, payload: str) -> Change | None:
        """Write a superfluous function word before the token."""
        tokens = sentence.tokens
        if not self._insertions or (not sentence.spaced[place] and place):
            return None
        word = self._insertions[bisect(self._insertion_weights, self._draw() * self._insertion_weights[-1])]
        before = tokens[place - 1] if place else None
        if word == tokens[place].lower or (before is not None and (word == before.lower or not before.word)):
            return None
        text = tokens[place].text
        if place == sentence.first and text[0].isupper():
            word = capitalize(word)
            text = text if text == "I" or not text[1:].islower() else text.lower()
        return Change(place, place + 1, (word, text), (sentence.spaced[place], True))

    def mask(self, sentence: Sentence, place: int) -> Change:
        """Put the mask in the place of a word, or of one of its letters."""
        text = sentence.tokens[place].text
        if len(text) > 3 and self._draw() < MASKED_LETTER_SHARE:
            letter = int(self._draw() * len(text))
            return self._rewrite(sentence, place, text[:letter] + MASK + text[letter + 1 :])
        return self._rewrite(sentence, place, MASK)

    def _rewrite(self, sentence: Sentence, place: int, text: str) -> Change:
        return Change(place, place + 1, (text,), (sentence.spaced[place],))


def needs_space(text: str, before: str = "") -> bool:
    """Whether raw text has a space before this token, after a word or after the token `before`."""
    return text not in NO_SPACE_BEFORE and "-" not in {text, before} and CLITICS.match(text) is None


def capitalize(text: str) -> str:
    return text[:1].upper() + text[1:]


def match_case(wrong: str, model: str) -> str:
    if model.islower():
        return wrong
    if len(model) > 1 and model.isupper():
        return wrong.upper()
    return capitalize(wrong) if model[:1].isupper() else wrong
