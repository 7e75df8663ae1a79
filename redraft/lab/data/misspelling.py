"""Misspells a word: with a known misspelling, or with a random slip."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import accumulate

from redraft.lab.data.table import ErrorTable

VOWELS = "aeiou"
LISTED_SHARE = 0.5
SECOND_SLIP_SHARE = 0.1
"""Share of long words with a second slip, for tables that say nothing about it."""
SHORTEST_FOR_TWO = 5
ATTEMPTS = 4
SLIP_SHARES = (0.38, 0.52, 0.66, 0.80, 0.90)
"""Cumulative shares of the slips, in the order of Misspeller._slips; the last one gets the rest."""


@dataclass(frozen=True, slots=True)
class _Listed:
    forms: tuple[str, ...]
    cumulative: tuple[float, ...]


@dataclass(frozen=True)
class Misspeller:
    """Draws a wrong spelling. `draw` gives numbers in [0, 1), as `random.random` does."""

    table: ErrorTable
    draw: Callable[[], float]
    two_slips: float = 0.0
    """Share of the misspelt words of five letters and more that get a second slip."""
    _listed: dict[str, _Listed] = field(default_factory=dict)
    _rules: Mapping[str, tuple[tuple[str, str], ...]] = field(init=False)
    _slips: tuple[Callable[[str], str], ...] = field(init=False)

    def __post_init__(self) -> None:
        slips = (self._mishear, self._leave_out, self._double, self._transpose, self._change_vowel, self._mistype)
        object.__setattr__(self, "_slips", slips)
        rules: dict[str, list[tuple[str, str]]] = {}
        for right, wrong in self.table.spelling_rules:
            rules.setdefault(right[0], []).append((right, wrong))
        object.__setattr__(self, "_rules", {letter: tuple(found) for letter, found in rules.items()})

    def misspell(self, word: str) -> str:
        """A wrong spelling of a lower-case word, or the word itself where none was found."""
        wrong = self._misspell_once(word)
        if self.two_slips and len(word) >= SHORTEST_FOR_TWO and self.draw() < self.two_slips:
            again = self._slip(wrong)
            return again if again not in self.table.ranks else wrong
        return wrong

    def _misspell_once(self, word: str) -> str:
        forms = self.table.misspellings.get(word)
        if forms and self.draw() < LISTED_SHARE:
            listed = self._listed.get(word)
            if listed is None:
                weights = tuple(accumulate(weight for _, weight in forms))
                listed = self._listed[word] = _Listed(tuple(form for form, _ in forms), weights)
            return listed.forms[bisect(listed.cumulative, self.draw() * listed.cumulative[-1])]
        wrong = word
        for _ in range(ATTEMPTS):
            wrong = self._slip(word)
            if len(word) > 7 and not self.two_slips and self.draw() < SECOND_SLIP_SHARE:
                wrong = self._slip(wrong)
            if wrong != word and wrong not in self.table.ranks:
                return wrong
        return wrong

    def _slip(self, word: str) -> str:
        if len(word) < 2:
            return word
        slip = self._slips[bisect(SLIP_SHARES, self.draw())]
        return slip(word)

    def _choose_place(self, word: str) -> int:
        """Place of a letter other than the first, which is rarely wrong."""
        return 1 + int(self.draw() * (len(word) - 1))

    def _leave_out(self, word: str) -> str:
        place = self._choose_place(word)
        return word[:place] + word[place + 1 :]

    def _transpose(self, word: str) -> str:
        place = min(self._choose_place(word), max(1, len(word) - 2))
        return word[:place] + word[place + 1 : place + 2] + word[place] + word[place + 2 :]

    def _change_vowel(self, word: str) -> str:
        places = [place for place, letter in enumerate(word) if place and letter in VOWELS]
        if not places:
            return word
        place = places[int(self.draw() * len(places))]
        return word[:place] + VOWELS[int(self.draw() * len(VOWELS))] + word[place + 1 :]

    def _mistype(self, word: str) -> str:
        """Write a neighbouring key for a letter, or beside it."""
        place = self._choose_place(word)
        near = self.table.keyboard.get(word[place])
        if not near:
            return word
        slip = near[int(self.draw() * len(near))]
        return word[:place] + slip + word[place + int(self.draw() < 0.6) :]

    def _double(self, word: str) -> str:
        """Write a doubled letter once, or a single consonant twice."""
        doubled = [index for index in range(1, len(word)) if word[index] == word[index - 1]]
        if doubled and self.draw() < 0.7:
            place = doubled[int(self.draw() * len(doubled))]
            return word[:place] + word[place + 1 :]
        single = [
            index
            for index in range(2, len(word) - 1)
            if word[index] in "bcdfglmnprst" and word[index - 1] in VOWELS and word[index + 1] in VOWELS
        ]
        if not single:
            return word
        place = single[int(self.draw() * len(single))]
        return word[:place] + word[place] + word[place:]

    def _mishear(self, word: str) -> str:
        """Apply one of the language's spelling rules: `ie` for `ei`, `f` for `ph`."""
        found = [
            (place, right, wrong)
            for place, letter in enumerate(word)
            if letter in self._rules
            for right, wrong in self._rules[letter]
            if word.startswith(right, place) and (place or wrong[:1] == right[:1])
        ]
        if not found:
            return word
        place, right, wrong = found[int(self.draw() * len(found))]
        return word[:place] + wrong + word[place + len(right) :]
