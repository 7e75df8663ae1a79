"""Edits that make a pair of pronouns wrong: “Me and him” should become neither “I and I” nor “I and him”."""

from __future__ import annotations

import re

from redraft.text.span import Span

_OBJECTS = {"i": "me", "he": "him", "she": "her", "we": "us", "they": "them"}
"""The form of each subject as an object. “You” has one form only."""
_PRONOUN = "|".join((*_OBJECTS, *_OBJECTS.values(), "you"))
_PAIR = re.compile(rf"\b({_PRONOUN}) (?:and|or) ({_PRONOUN})\b", re.IGNORECASE)


def find_wrong_pairs(source: str, target: str) -> list[Span]:
    """The places of a corrected English sentence at which two pronouns are the same person, or one is a subject and the
    other an object. None if the source has such a place already."""
    if any(map(_is_wrong, _PAIR.finditer(source))):
        return []
    return [Span(*match.span()) for match in _PAIR.finditer(target) if _is_wrong(match)]


def _is_wrong(pair: re.Match[str]) -> bool:
    first, second = pair[1].lower(), pair[2].lower()
    same_person = _OBJECTS.get(first, first) == _OBJECTS.get(second, second)
    return same_person or ("you" not in (first, second) and (first in _OBJECTS) != (second in _OBJECTS))
