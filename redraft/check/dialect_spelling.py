"""Finds words of a text in the spelling of the other country: `color` in British English, `colour` in American."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from redraft.text.dialects import Dialect, respell
from redraft.text.protect import find_protected
from redraft.text.span import Span, SpanSet
from redraft.text.words import word_set

# Not a part of an address, a path, an attribute (`style.color`) or an identifier.
_WORD = re.compile(r"(?<![\w@#$&./\\-])[A-Za-z]{3,}+(?:[-‐‑][A-Za-z]++)*+(?!\w|[./\\-]\w|[./\\]{2}|\()")
_NEXT_WORD = re.compile(r"[\"'”’)\]]*+\s++[\"'“‘(\[]*+(\w+)")
_NAMES = word_set("gray grey harbor harbour labor labour center centre theater theatre")
"""Words that are often names; with a capital at the start of a sentence they may be one there too."""
_FIXED_PHRASES = {"rigor": "mortis"}
"""Words that are right in every country before another."""


@dataclass(frozen=True, slots=True)
class Respelling:
    """A word and its spelling in the dialect."""

    span: Span
    word: str
    replacement: str


def find_respellings(sentence: str, dialect: Dialect) -> Iterator[Respelling]:
    """The words of a sentence to be written differently in a dialect. Names, with capitals inside it, are left out."""
    is_first = True
    for match in _WORD.finditer(sentence):
        word = match.group()
        is_first = is_first and not any(character.isalnum() for character in sentence[: match.start()])
        replacement = respell(word, dialect)
        if replacement is not None and not _is_exception(sentence, match, is_first):
            yield Respelling(Span(*match.span()), word, replacement)


def respell_words(text: str, dialect: Dialect) -> str:
    """A text in the spelling of a dialect, except for its names."""
    return _WORD.sub(lambda match: _respell_lower(match.group(), dialect), text)


def majority_dialect(texts: Iterable[str]) -> Dialect | None:
    """The dialect that most words of a document are spelled in; of a tie, the first used; None if no word tells."""
    counts: Counter[Dialect] = Counter()
    for text in texts:
        votes = list(_votes(text))
        if votes:
            protected = SpanSet(found.span for found in find_protected(text))
            counts.update(dialect for span, dialect in votes if not protected.overlap(span))
    # Of equal counts, `most_common` gives the one counted first.
    return counts.most_common(1)[0][0] if counts else None


def _votes(text: str) -> Iterator[tuple[Span, Dialect]]:
    """Each word that is right in one dialect only; -ize, which both have, is none of them."""
    for match in _WORD.finditer(text):
        word = match.group()
        if word.islower():
            for dialect in Dialect:
                if respell(word, dialect.other) is not None:
                    yield Span(*match.span()), dialect


def _respell_lower(word: str, dialect: Dialect) -> str:
    return (respell(word, dialect) if word.islower() else None) or word


def _is_exception(sentence: str, match: re.Match[str], is_first: bool) -> bool:
    """Whether a word is a name, or right in every country because of the word behind it."""
    word = match.group()
    found = _NEXT_WORD.match(sentence, match.end())
    following = found[1] if found else ""
    if following and _FIXED_PHRASES.get(word.lower()) == following:
        return True
    if word.islower():
        return False
    may_be_name = following[:1].isupper() and following != "I"
    return not (is_first and word[1:].islower()) or may_be_name or word.lower() in _NAMES
