"""Counts the steps that a backtracking matcher takes, so that tests can tell linear patterns from quadratic ones.

It reads the syntax tree of a compiled pattern and tries the same alternatives in the same order as `re`. `re` itself
cannot be asked for its steps.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

_MOST_REPEATS = 16
"""Bounds of quantifiers are cut down to this, so that short texts show how a pattern behaves on long ones."""

Ends = Iterator[int]
Match = Callable[[int], Ends]
"""From a position to the positions where the node may end, the preferred one first."""


class _Matcher:
    """A pattern on one text."""

    def __init__(self, pattern: re.Pattern[str], text: str) -> None:
        self.text = text
        self.steps = 0
        self._groups: dict[int, tuple[int, int]] = {}
        self._tree = list(_parse(pattern.pattern, pattern.flags))
        self._flags = pattern.flags

    def scan(self) -> None:
        """Finds all matches, as `finditer` does."""
        position = 0
        while position <= len(self.text):
            end = next(self._sequence(self._tree, 0, position, self._flags), None)
            position = position + 1 if end is None or end == position else end

    def _sequence(self, nodes: list[Any], index: int, at: int, flags: int) -> Ends:
        while index < len(nodes):
            code, value = nodes[index]
            self.steps += 1
            if code in _SINGLE:
                if at >= len(self.text) or not _is_one(code, value, self.text[at], flags):
                    return
                at += 1
                index += 1
                continue
            for end in self._node(code, value, at, flags):
                yield from self._sequence(nodes, index + 1, end, flags)
            return
        yield at

    def _node(self, code: Any, value: Any, at: int, flags: int) -> Ends:
        if code is codes.BRANCH:
            for alternative in value[1]:
                if self._may_begin(alternative, at, flags):
                    yield from self._sequence(alternative, 0, at, flags)
        elif code is codes.SUBPATTERN:
            group, added, removed, inner = value
            for end in self._sequence(inner, 0, at, (flags | added) & ~removed):
                self._groups[group] = at, end
                yield end
        elif code in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
            yield from self._repeat(code, value, at, flags)
        elif code is codes.ATOMIC_GROUP:
            yield from _first(self._sequence(value, 0, at, flags))
        elif code in (codes.ASSERT, codes.ASSERT_NOT):
            direction, inner = value
            start = at if direction > 0 else at - inner.getwidth()[0]
            held = start >= 0 and next(self._sequence(inner, 0, start, flags), None) is not None
            if held is (code is codes.ASSERT):
                yield at
        elif code is codes.AT:
            if self._is_at(value, at, flags):
                yield at
        elif code is codes.GROUPREF:
            start, end = self._groups[value]
            if self.text.startswith(self.text[start:end], at):
                yield at + end - start
        else:
            raise NotImplementedError(str(code))

    def _repeat(self, code: Any, value: Any, at: int, flags: int) -> Ends:
        least, most, inner = value
        if most is not codes.MAXREPEAT:
            most = max(least, min(most, _MOST_REPEATS))
        if len(inner) == 1 and inner[0][0] in _SINGLE:
            single, argument = inner[0]
            ends = self._repeat_one(single, argument, at, most, flags)
        else:
            ends = self._repeat_any(inner, at, most, flags)
        if code is codes.MIN_REPEAT:
            yield from (end for count, end in ends if count >= least)
            return
        reached = list(ends)
        usable = [end for count, end in reversed(reached) if count >= least]
        for end in usable[:1] if code is codes.POSSESSIVE_REPEAT else usable:
            self.steps += 1
            yield end

    def _repeat_one(self, code: Any, value: Any, at: int, most: Any, flags: int) -> Iterator[tuple[int, int]]:
        count = 0
        yield count, at
        while count < most and at < len(self.text) and _is_one(code, value, self.text[at], flags):
            self.steps += 1
            at += 1
            count += 1
            yield count, at

    def _repeat_any(self, inner: Any, at: int, most: Any, flags: int) -> Iterator[tuple[int, int]]:
        """Only the preferred end of each round: enough for patterns whose rounds can end in one way."""
        count = 0
        yield count, at
        while count < most:
            end = next(self._sequence(inner, 0, at, flags), None)
            if end is None or end == at:
                return
            at = end
            count += 1
            yield count, at

    def _may_begin(self, nodes: Any, at: int, flags: int) -> bool:
        """Whether the first character fits an alternative, where that can be seen at once; `re` looks at it too."""
        if not nodes or nodes[0][0] not in _SINGLE:
            return True
        code, value = nodes[0]
        return at < len(self.text) and _is_one(code, value, self.text[at], flags)

    def _is_at(self, place: Any, at: int, flags: int) -> bool:
        before, after = self.text[at - 1 : at] if at else "", self.text[at : at + 1]
        if place is codes.AT_BEGINNING:
            return not before or (bool(flags & re.MULTILINE) and before == "\n")
        if place is codes.AT_BEGINNING_STRING:
            return not before
        if place is codes.AT_END:
            is_last = not after or (after == "\n" and at + 1 == len(self.text))
            return is_last or (bool(flags & re.MULTILINE) and after == "\n")
        if place is codes.AT_END_STRING:
            return not after
        inside = (before.isalnum() or before == "_") != (after.isalnum() or after == "_")
        return inside is (place is codes.AT_BOUNDARY)


_SINGLE = frozenset({codes.LITERAL, codes.NOT_LITERAL, codes.ANY, codes.IN})


@cache
def _parse(pattern: str, flags: int) -> Any:
    return parser.parse(pattern, flags & ~re.UNICODE)


def _is_one(code: Any, value: Any, character: str, flags: int) -> bool:
    """Whether a node that matches one character matches this one."""
    if flags & re.IGNORECASE:
        swapped = character.swapcase()
        plain = flags & ~re.IGNORECASE
        return _is_one(code, value, character, plain) or (
            len(swapped) == 1 and code is not codes.NOT_LITERAL and _is_one(code, value, swapped, plain)
        )
    if code is codes.LITERAL:
        return ord(character) == value
    if code is codes.NOT_LITERAL:
        return ord(character) != value
    if code is codes.ANY:
        return bool(flags & re.DOTALL) or character != "\n"
    known = _KNOWN.setdefault(id(value), {})
    if character not in known:
        negated = bool(value) and value[0][0] is codes.NEGATE
        known[character] = any(_holds(kind, item, character) for kind, item in value[negated:]) is not negated
    return known[character]


_KNOWN: dict[int, dict[str, bool]] = {}
"""For each character class of a parsed pattern (all of which are kept), whether it has a character."""


def _holds(kind: Any, item: Any, character: str) -> bool:
    if kind is codes.LITERAL:
        return ord(character) == item
    if kind is codes.RANGE:
        return bool(item[0] <= ord(character) <= item[1])
    is_word = character.isalnum() or character == "_"
    return {
        codes.CATEGORY_DIGIT: character.isdecimal(),
        codes.CATEGORY_NOT_DIGIT: not character.isdecimal(),
        codes.CATEGORY_SPACE: character.isspace(),
        codes.CATEGORY_NOT_SPACE: not character.isspace(),
        codes.CATEGORY_WORD: is_word,
        codes.CATEGORY_NOT_WORD: not is_word,
    }[item]


def _first(ends: Iterable[int]) -> Ends:
    for end in ends:
        yield end
        return


def count_steps(pattern: re.Pattern[str], text: str) -> int:
    """How many steps it takes to find all matches of a pattern in a text."""
    matcher = _Matcher(pattern, text)
    matcher.scan()
    return matcher.steps
