"""Edits that lose words of the writer: half a sentence deleted is worse than an error left in."""

from __future__ import annotations

import re

from redraft.edits.lexicon import FUNCTION_WORDS, NEGATIONS
from redraft.edits.subsequence import subsequence_ratio
from redraft.text.patterns import HAN_AND_KANA

_WORD = re.compile(rf"[^\W\d_{HAN_AND_KANA}]{{3,}}")
_GRAMMATICAL = FUNCTION_WORDS | NEGATIONS
_SAME_WORD = 0.6
"""Words this similar are forms or spellings of one word."""
_MOST_LOST = 1


def loses_words(before: str, after: str, rest: str) -> bool:
    """Whether two or more words with a meaning of their own are dropped, and no other words come in their place.

    `rest` is the sentence without the edit: a word that is there too was repeated, and is not lost. Chinese edits never
    count, nor Japanese ones, because a character is not a word.
    """
    old, new = _words(before), _words(after)
    if len(old) - len(new) <= _MOST_LOST:
        return False
    around = set(_words(rest))
    lost = [word for word in old if word not in around and not any(_is_kept(word, other) for other in new)]
    added = [word for word in new if not any(_is_kept(other, word) for other in old)]
    return len(lost) - len(added) > _MOST_LOST


def _words(text: str) -> list[str]:
    """The words in lower case, without those that only build sentences."""
    return [word for word in _WORD.findall(text.lower()) if word not in _GRAMMATICAL]


def _is_kept(word: str, other: str) -> bool:
    return word in other or subsequence_ratio(word, other) >= _SAME_WORD
