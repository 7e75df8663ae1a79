"""Cuts single words, titles and list items from a sentence: text without a verb or full stop that is correct."""

from __future__ import annotations

from collections.abc import Callable, Container

SINGLE_SHARE = 0.35
TITLE_SHARE = 0.25
LONGEST = 8
_EDGES = "\"'“”‘’()[]{}<>.,;:!?…*_"


def cut_fragment(words: list[str], function_words: Container[str], draw: Callable[[], float]) -> list[str]:
    """Words of a fragment of the sentence, or none where the sentence has no fit words. `draw` gives numbers in [0, 1).

    A fragment begins and ends with a content word, and holds no punctuation but what is inside words.
    """
    plain = [word.strip(_EDGES) for word in words]
    content = [
        place
        for place, word in enumerate(plain)
        if len(word) > 1 and word.isalpha() and word.lower() not in function_words
    ]
    if not content:
        return []
    kind = draw()
    start = content[int(draw() * len(content))]
    if kind < SINGLE_SHARE:
        word = plain[start]
        return [word.capitalize() if word.islower() and draw() < 0.4 else word]
    last = _find_end(words, plain, start, 2 + int(draw() * (LONGEST - 1)))
    while last > start and plain[last].lower() in function_words:
        last -= 1
    chosen = plain[start : last + 1]
    if kind < SINGLE_SHARE + TITLE_SHARE:
        return [
            word if place and word.lower() in function_words else word[:1].upper() + word[1:]
            for place, word in enumerate(chosen)
        ]
    return [chosen[0][:1].upper() + chosen[0][1:], *chosen[1:]] if draw() < 0.7 else chosen


def _find_end(words: list[str], plain: list[str], start: int, length: int) -> int:
    """Place of the last word of at most `length` words from `start` on, none of which has punctuation behind it."""
    place = start
    while place + 1 < len(words) and place + 1 - start < length:
        if words[place] != plain[place] or not plain[place + 1] or not words[place + 1].startswith(plain[place + 1]):
            break
        place += 1
    return place
