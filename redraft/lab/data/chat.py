"""Rewrites a correct sentence as people type in a chat: without capitals, apostrophes or the final full stop."""

from __future__ import annotations

import re
from collections.abc import Callable

CAPITALS_SHARE = 0.75
APOSTROPHES_SHARE = 0.8
STOP_SHARE = 0.75
COMMAS_SHARE = 0.25
QUESTION_MARK_SHARE = 0.4

_APOSTROPHE = re.compile(r"(?<=\w) ?['’](?=(?:t|s|re|ve|ll|m|d)\b)", re.IGNORECASE)
_NT = re.compile(r" n['’]t\b", re.IGNORECASE)
_COMMA = re.compile(r" ?,(?= )")
_STOP = re.compile(r" ?\.$")
_QUESTION_MARK = re.compile(r" ?\?$")


def write_as_chat(text: str, draw: Callable[[], float]) -> str:
    """The text with each habit kept or dropped throughout. `draw` gives numbers in [0, 1).

    Final marks are dropped only where capitals are: a title or list item has a capital and no full stop.
    """
    lower = draw() < CAPITALS_SHARE
    if not lower or draw() < APOSTROPHES_SHARE:
        text = _APOSTROPHE.sub("", _NT.sub("nt", text))
    if not lower:
        return text
    text = text.lower()
    if draw() < STOP_SHARE:
        text = _STOP.sub("", text)
        if draw() < QUESTION_MARK_SHARE:
            text = _QUESTION_MARK.sub("", text)
    if draw() < COMMAS_SHARE:
        text = _COMMA.sub("", text)
    return text
