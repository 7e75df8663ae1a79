"""What a commit message says about corrections of language."""

from __future__ import annotations

import re
from enum import Enum


class Purpose(Enum):
    """Purpose of a commit, as far as its message tells."""

    CORRECTION = "correction"
    """Typos, spelling, grammar."""
    WORDING = "wording"
    """Changes of language, of which some are corrections."""
    UNKNOWN = "unknown"
    STYLE = "style"
    """Terms, names, formatting: its changes are no corrections, except obvious ones."""
    REVERT = "revert"


_REVERT = re.compile(r"revert(?:s|ed|ing)?\b|back out\b|this reverts commit", re.IGNORECASE)
_STYLE = re.compile(
    r"\b(?:renam\w+|rebrand\w*|replac\w+|terminology|naming|style ?guide|styling|prettier|lint\w*|reformat\w*|vale|"
    r"sentence case|title case|capitali[sz]\w+|american english|british english|en-us|oxford comma|translat\w+|"
    r"locali[sz]\w+|inclusive)\b",
    re.IGNORECASE,
)
_CORRECTION = re.compile(
    r"typo|mis-?spel|mis-?typ|\bspell|gramm[ae]r|gramatic|grammatic|proof-?read|orthograph|doubled? word|"
    r"duplicated? word|repeated word|missing word|plural|\btense\b|subject[- ]verb|\ba/an\b|missing article",
    re.IGNORECASE,
)
_WORDING = re.compile(
    r"\b(?:re-?)?word(?:s|ing|ed)?\b|copy-?\s?edit|language|english|punctuat|editorial|\bnits?\b|\bminor\b|phras|clarif|"
    r"readab|\bpolish|\bcorrect|\bfix\w*\b|\bedit(?:s|ed|ing)?\b|\breview|\bcleanup|\bclean up|\btweak|\bimprov",
    re.IGNORECASE,
)


def find_purpose(message: str) -> Purpose:
    """The purpose of a commit. The subject is decisive; the rest of the message counts if the subject says nothing."""
    subject, _, rest = message.partition("\n")
    if _REVERT.match(subject) or "this reverts commit" in rest.lower():
        return Purpose.REVERT
    for text in (subject, rest[:2_000]):
        if _CORRECTION.search(text):
            return Purpose.CORRECTION
        if _STYLE.search(text):
            return Purpose.STYLE
        if _WORDING.search(text):
            return Purpose.WORDING
    return Purpose.UNKNOWN
