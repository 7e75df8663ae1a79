"""Tells house style from corrections: edits that the editors of manuals make to correct English.

For mined pairs whose commits are not known; `redraft mine` has rules of its own, which read the commit message too.
"""

from __future__ import annotations

from collections import Counter

from redraft.edits.align import align
from redraft.lab.data.mining_rules import expand_contractions
from redraft.lab.data.pair import Pair
from redraft.text.dialects import are_variants

_PREFERRED = frozenset(
    {
        *(("which", "that"), ("that", "which"), ("his", "their"), ("her", "their"), ("he", "they"), ("she", "they")),
        *(("this", "it"), ("log", "sign"), ("logged", "signed"), ("whilst", "while"), ("click", "select")),
        *(("has been", "is"), ("have been", "are"), ("has been", "was"), ("have been", "were"), ("was", "is")),
        *(("were", "are"), ("master", "main"), ("whitelist", "allowlist"), ("blacklist", "blocklist")),
    }
)
"""What is written, and what editors prefer."""
_FIRST_WORDS = frozenset(old.split()[0] for old, _ in _PREFERRED) | {"will"}
_EDGES = ' .,;:!?()"'


def has_no_style(pair: Pair) -> bool:
    """Whether no edit of a pair is one of dialect, contraction, future for present, or a preferred word."""
    if not _may_have_style(pair):
        return True
    for change in align(pair.source, pair.target):
        old, new = _fold(change.source.of(pair.source)), _fold(change.target.of(pair.target))
        if old and new and _is_style(old, new):
            return False
    return True


def _may_have_style(pair: Pair) -> bool:
    """A quick look at the words that only one side has: aligning both sides takes much longer."""
    old, new = (Counter(map(_fold, side.split())) for side in (pair.source, pair.target))
    gone, added = (old - new).keys(), (new - old).keys()
    if not gone or not added:
        return False
    return (
        not gone.isdisjoint(_FIRST_WORDS)
        or any("'" in word for word in (*gone, *added))
        or any(are_variants(one, other) for one in gone for other in added)
    )


def _fold(text: str) -> str:
    return text.lower().replace("’", "'").strip(_EDGES)


def _is_style(old: str, new: str) -> bool:
    if old == new:
        return False
    full_old, full_new = expand_contractions(old), expand_contractions(new)
    if are_variants(old, new) or full_old == full_new or (old, new) in _PREFERRED:
        return True
    # "will show" for "shows": manuals describe what a program does in the present tense.
    return "will" in full_old.split() and "will" not in full_new.split()
