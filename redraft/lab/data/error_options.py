"""Lists the errors that a token may get, with their rates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from redraft.lab.data.actions import Action, Actions
from redraft.lab.data.table import ErrorTable, Family

RANK_FACTORS = (0.25, 0.6, 1.0, 1.5, 1.5)
UNKNOWN_FACTOR = 0.1
LENGTH_FACTORS = (0.0, 0.0, 0.08, 0.2, 0.6, 0.9, 1.0, 1.2)
LONG_FACTOR = 1.5
SLIP = 1000.0
"""One in a hundred tokens, in the unit of the table's rates."""


@dataclass(frozen=True, slots=True)
class ErrorOption:
    family: Family
    rate: float
    action: Action


class ErrorOptions:
    """Errors of an error table, and those that need none: casing, spacing, slips and order."""

    def __init__(self, table: ErrorTable, actions: Actions) -> None:
        self._table = table
        self._actions = actions

    def list_candidates(self, key: str, length: int) -> Iterator[ErrorOption]:
        """Wrong forms of a word or phrase of `length` tokens."""
        replace = self._actions.replace
        for candidate in self._table.candidates.get(key, ()):
            action = Action(replace, f"{length}:{candidate.wrong}", candidate.context)
            yield ErrorOption(candidate.family, candidate.rate, action)

    def list_options(self, text: str, first: bool) -> Iterator[ErrorOption]:
        """Every error that a token may get, with its rate."""
        lower = text.lower()
        if not any(map(str.isalpha, text)):
            if not any(map(str.isdigit, text)):
                yield from self.list_candidates(lower, 1)
                yield from self._list_punctuation(text)
            return
        if any(map(str.isdigit, text)):
            return
        known = lower in self._table.ranks
        if self._table.unit == "character":
            if known:
                yield from self.list_candidates(lower, 1)
                yield from self._list_disorder(lower in self._table.function_words)
                yield from self._list_word_disorder()
            return
        yield from self._list_casing(text, first, known)
        pronoun = lower != text and lower in self._table.contexts and len(text) == 1
        if text == lower or pronoun or (first and known and text[1:].islower()):
            yield from self.list_candidates(lower, 1)
            yield from self._list_slips(lower, known)
        elif text[1:].islower() and text.isalpha():
            # A name: seldom misspelled, never replaced.
            yield ErrorOption(Family.SPELLING, 0.05 * SLIP, Action(self._actions.misspell))

    def _list_punctuation(self, text: str) -> Iterator[ErrorOption]:
        if text in {",", ".", ";", ":", "?", "!", ")"}:
            yield ErrorOption(Family.SPACING, 1.5 * SLIP, Action(self._actions.space_before))
        if text in {",", ";", ":", ".", ")"}:
            yield ErrorOption(Family.SPACING, 1.5 * SLIP, Action(self._actions.unspace_after))

    def _list_casing(self, text: str, first: bool, known: bool) -> Iterator[ErrorOption]:
        change_case = self._actions.change_case
        if text.islower():
            if len(text) > 2 and not first:
                yield ErrorOption(Family.CASING, 0.06 * SLIP, Action(change_case, "title"))
                yield ErrorOption(Family.CASING, 0.004 * SLIP, Action(change_case, "upper"))
        elif len(text) == 1:
            yield ErrorOption(Family.CASING, 4.0 * SLIP, Action(change_case, "lower"))
        elif text[1:].islower():
            yield ErrorOption(Family.CASING, SLIP * (1.0 if first or known else 0.5), Action(change_case, "lower"))

    def _list_slips(self, lower: str, known: bool) -> Iterator[ErrorOption]:
        """Spelling, spacing and the errors of order, which need no table of wrong forms."""
        actions = self._actions
        function = lower in self._table.function_words
        if lower.isalpha():
            rank = self._table.ranks.get(lower)
            length = LENGTH_FACTORS[len(lower)] if len(lower) < len(LENGTH_FACTORS) else LONG_FACTOR
            frequency = UNKNOWN_FACTOR if rank is None else RANK_FACTORS[min(rank, len(RANK_FACTORS) - 1)]
            # Words with many known misspellings are misspelt more often.
            listed = 1.0 + min(len(self._table.misspellings.get(lower, ())), 6) / 4
            yield ErrorOption(Family.SPELLING, length * frequency * listed * SLIP, Action(actions.misspell))
            yield ErrorOption(Family.SPACING, SLIP * (0.25 if function else 0.06), Action(actions.join))
            if lower in self._table.splits:
                yield ErrorOption(Family.SPACING, 3.0 * SLIP, Action(actions.split))
        yield from self._list_disorder(function)

    def _list_disorder(self, function: bool) -> Iterator[ErrorOption]:
        actions = self._actions
        yield ErrorOption(Family.REPEAT, SLIP * (3.0 if function else 0.5), Action(actions.repeat))
        yield ErrorOption(Family.ORDER, 1.0 * SLIP, Action(actions.swap))
        yield ErrorOption(Family.ORDER, 0.4 * SLIP, Action(actions.move))
        yield ErrorOption(Family.DROP, SLIP * (1.0 if function else 0.12), Action(actions.drop))
        yield ErrorOption(Family.STRETCH, 0.4 * SLIP, Action(actions.repeat_stretch))
        yield ErrorOption(Family.STRETCH, 0.6 * SLIP, Action(actions.insert_stretch))
        if function:
            yield ErrorOption(Family.STRETCH, 2.0 * SLIP, Action(actions.drop_stretch))
        if self._table.insertions:
            yield ErrorOption(Family.INSERTION, 1.0 * SLIP, Action(actions.insert_word))

    def _list_word_disorder(self) -> Iterator[ErrorOption]:
        """Errors of order for whole words, where each character is a token."""
        actions = self._actions
        yield ErrorOption(Family.ORDER, 1.2 * SLIP, Action(actions.swap_words))
        yield ErrorOption(Family.DROP, 0.2 * SLIP, Action(actions.drop_word))
        yield ErrorOption(Family.REPEAT, 0.4 * SLIP, Action(actions.repeat_word))
