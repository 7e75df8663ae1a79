"""Words and punctuation marks, found in one linear pass."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from redraft.text.patterns import EMAIL, EMOJI, HAN_AND_KANA, HASHTAG, LETTERS, MARKS, MENTION, URL
from redraft.text.span import Span

_ALTERNATIVES = (
    # Most words are plain: match them before the costly alternatives are tried.
    r"[A-Za-z]++(?=[,;!?]?+(?:\s|$)|\.(?:\s|$))",
    rf"[{HAN_AND_KANA}]",
    URL,
    EMAIL,
    MENTION,
    HASHTAG,
    EMOJI,
    # Abbreviations such as e.g. and U.S.A.; the bound keeps a long run of them linear.
    r"(?<!\w)(?:[A-Za-z]\.){2,6}(?!\w)",
    # A number, a word, or both joined (5km, v1.2), then what hyphens and apostrophes join to it.
    rf"(?=\w)(?:[vV]?\d++(?:[.,:/-]\d++)*+)?+(?:[%‰°](?!\w)|{LETTERS})?+(?:['’ʼ‐‑-]{LETTERS})*+",
    # Tokenized text has the ends of contractions as separate words.
    r"(?<!\S)['’](?:s|re|ve|ll|d|m|t)(?!\w)",
    r"\.{2,}+|-{2,}+|`{2,}+|'{2}",
    r"\S",
)


@cache
def _pattern() -> re.Pattern[str]:
    """Compiled on first use: it takes 25 ms, which `--help` need not wait for."""
    return re.compile(rf"(?:{'|'.join(_ALTERNATIVES)})[{MARKS}]*+")


def words(text: str) -> list[Span]:
    """The words and punctuation marks of `text`, in order; between them is only white space.

    A contraction, a hyphenated word, a number with its separators, an address and an emoji are one span each.
    """
    return list(find_words(text))


def find_words(text: str) -> Iterator[Span]:
    """The same one by one, for a caller that may stop early."""
    return (Span(*match.span()) for match in _pattern().finditer(text))


def split_words(text: str) -> list[str]:
    """The words and punctuation marks of `text` as strings."""
    return _pattern().findall(text)


def word_set(listing: str) -> frozenset[str]:
    """The words of a string, split at spaces."""
    return frozenset(listing.split())
