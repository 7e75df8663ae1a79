"""Words as the tagger reads them: each with the space before it, so that joined words are the text."""

from __future__ import annotations

import re

_WORD = re.compile(
    r" ?(?:"
    # Letters and digits; an apostrophe inside joins them.
    r"[^\W_]+(?:['’][^\W_]+)*+"
    # Tokenized text has the ends of contractions as separate words.
    r"|(?<![^ ])['’](?:s|re|ve|ll|d|m|t)(?!\w)"
    # All other characters in a row: byte-level tokenizers join them too, so that no token has parts of two words.
    r"|[^\w\s]+|_+)"
)


def split_words(text: str) -> list[str]:
    """The words of a text, each with the space before it if it has one; the first word always has one.

    White space is taken as single spaces; `join_words` of the result is the text with single spaces.
    """
    return _WORD.findall("".join(f" {chunk}" for chunk in text.split()))


def join_words(words: list[str]) -> str:
    return "".join(words).strip()


def bare(word: str) -> str:
    """The word without the space before it."""
    return word.removeprefix(" ")
