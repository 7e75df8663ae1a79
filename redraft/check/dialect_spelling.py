"""Finds words of a text in the spelling of the other country: `color` in British English, `colour` in American."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from redraft.edits.edit import Edit, Kind
from redraft.edits.explain import explain
from redraft.text.capitals import is_in_capitals
from redraft.text.dialects import Dialect, dialect_by_ize, respell
from redraft.text.language_tags import parse_tag
from redraft.text.protect import find_protected
from redraft.text.span import Span, SpanSet
from redraft.text.words import word_set

# Not a part of an address, a path, an attribute (`style.color`) or an identifier.
_WORD = re.compile(r"(?<![\w@#$&./\\-])[A-Za-z]{3,}+(?:[-‐‑][A-Za-z]++){0,31}+(?!\w|[./\\-]\w|[./\\]{2}|\()")
_NEXT_WORD = re.compile(r"[\"'”’)\]]*+\s++[\"'“‘(\[]*+(\w+)")
_LONGEST_CACHED = 1 << 12
"""Characters of a text whose votes are cached, so that the cache stays small."""
_NAMES = word_set("gray grey harbor harbour labor labour center centre theater theatre")
"""Words that are often names; with a capital at the start of a sentence they may be one there too."""
_FIXED_PHRASES = {"rigor": "mortis"}
"""Words that are right in every country before another."""


def dialect_edits(sentence: str, dialect: Dialect, language: str, is_start: bool = True) -> list[Edit]:
    """An edit for each word of an English sentence in the spelling of the other dialect; none in other languages."""
    if parse_tag(language).language != parse_tag(dialect).language:
        return []
    return [
        Edit(
            found.span,
            found.word,
            found.replacement,
            Kind.DIALECT,
            explanation=explain(Kind.DIALECT, found.word, found.replacement, language),
        )
        for found in find_respellings(sentence, dialect, is_start)
    ]


def respell_edit(edit: Edit, dialect: Dialect, language: str) -> Edit | None:
    """An edit of the model with its replacement in the spelling of a dialect; None if it then changes nothing."""
    replacement = respell_words(edit.replacement, dialect)
    if replacement == edit.replacement:
        return edit
    if replacement == edit.source:
        return None
    explanation = explain(edit.kind, edit.source.strip(), replacement.strip(), language)
    return replace(edit, replacement=replacement, explanation=explanation)


@dataclass(frozen=True, slots=True)
class Respelling:
    """A word and its spelling in the dialect."""

    span: Span
    word: str
    replacement: str


def find_respellings(sentence: str, dialect: Dialect, is_start: bool = True) -> Iterator[Respelling]:
    """The words of a sentence that are spelled differently in a dialect; names are left out.

    A word with a capital is a name, unless it begins the sentence or all words are in capitals. `is_start` is False for
    a later part of a sentence.
    """
    is_first = is_start
    in_capitals = is_in_capitals(sentence)
    for match in _WORD.finditer(sentence):
        word = match.group()
        is_first = is_first and not any(character.isalnum() for character in sentence[: match.start()])
        replacement = respell(word, dialect)
        if replacement is not None and not _is_exception(sentence, match, is_first, in_capitals):
            yield Respelling(Span(*match.span()), word, replacement)


def respell_words(text: str, dialect: Dialect) -> str:
    """A text in the spelling of a dialect, except for its names."""
    return _WORD.sub(lambda match: _respell_lower(match.group(), dialect), text)


def majority_dialect(texts: Iterable[str]) -> Dialect | None:
    """The dialect that most words of a document are spelled in; of a tie, the first used; None if no word tells.

    Words with -ize, which British English has as well, count only if no other word tells the dialect.
    """
    votes = [vote for text in texts for vote in _votes(text)]
    if all(vote.is_weak for vote in votes):
        counts = Counter(vote.dialect for vote in votes)
    else:
        counts = Counter(vote.dialect for vote in votes if not vote.is_ize)
    # Of equal counts, `most_common` gives the one counted first.
    return counts.most_common(1)[0][0] if counts else None


class _Vote(NamedTuple):
    """A word that is spelled differently in the other dialect."""

    dialect: Dialect
    is_weak: bool
    """Whether it is a word with -ise or -ize."""

    @property
    def is_ize(self) -> bool:
        return self.is_weak and self.dialect is Dialect.AMERICAN


def _votes(text: str) -> tuple[_Vote, ...]:
    """The votes of the words of a text. Cached unless it is long: of a document little changes at once."""
    return _find_votes_cached(text) if len(text) <= _LONGEST_CACHED else _find_votes(text)


def _find_votes(text: str) -> tuple[_Vote, ...]:
    """The votes of the words of a text that are not protected."""
    found = [(Span(*match.span()), vote) for match in _WORD.finditer(text) if (vote := _vote_of(match.group()))]
    if not found:
        return ()
    protected = SpanSet(one.span for one in find_protected(text))
    return tuple(vote for span, vote in found if not protected.overlap(span))


_find_votes_cached = lru_cache(maxsize=1 << 12)(_find_votes)


@lru_cache(maxsize=1 << 14)
def _vote_of(word: str) -> _Vote | None:
    if not word.islower():
        return None
    weak = dialect_by_ize(word)
    if weak:
        return _Vote(weak, is_weak=True)
    dialect = next((dialect for dialect in Dialect if respell(word, dialect.other) is not None), None)
    return _Vote(dialect, is_weak=False) if dialect else None


def _respell_lower(word: str, dialect: Dialect) -> str:
    return (respell(word, dialect) if word.islower() else None) or word


def _is_exception(sentence: str, match: re.Match[str], is_first: bool, in_capitals: bool) -> bool:
    """Whether a word is a name, or right in every country because of the word behind it."""
    word = match.group()
    found = _NEXT_WORD.match(sentence, match.end())
    following = found[1] if found else ""
    if following and _FIXED_PHRASES.get(word.lower()) == following.lower():
        return True
    if word.islower():
        return False
    if in_capitals:
        return word.lower() in _NAMES
    may_be_name = following[:1].isupper() and following != "I"
    return not (is_first and word[1:].islower()) or may_be_name or word.lower() in _NAMES
