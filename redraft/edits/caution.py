"""How much surer than the confidence threshold a model must be of an edit, by its kind."""

from __future__ import annotations

from redraft.edits.edit import Kind
from redraft.edits.letter_distance import letter_distance
from redraft.edits.lexicon import GLOSSES

CONTENT_ROOT = 10
MISSPELLING_POWER = 3
"""The power of the threshold that the correction of a plain misspelling must reach."""
SHORTEST_MISSPELLING = 4
"""Letters of the shortest words that are known to be wrong: shorter ones differ from one another in too few."""
MOST_OF_RULED_OUT = 0.05
"""The most probability that a model may give to a word as it is written, if it rules the word out."""
_FUNCTION_ROOT = 2
_LONE_ROOT = 2
_CLEAR = frozenset({Kind.SPELLING, Kind.SPACING, Kind.AGREEMENT})
_APOSTROPHES = str.maketrans("", "", " '’")
_REFERENTS = {
    pronoun: number
    for number, forms in enumerate(("he him himself", "she her herself", "it itself", "they them themselves"))
    for pronoun in forms.split()
}
"""Personal pronouns of the third person, with a number for those that refer to the same."""
_ROOTS = {
    **dict.fromkeys((Kind.PREPOSITION, Kind.PRONOUN, Kind.VERB_FORM), _FUNCTION_ROOT),
    **dict.fromkeys((Kind.WORD_CHOICE, Kind.WORD_ORDER, Kind.MISSING_WORD, Kind.REDUNDANCY, Kind.OTHER), CONTENT_ROOT),
}


def required_root(kind: Kind, old: str, new: str) -> int:
    """The root of the threshold that an edit of `old` to `new` must reach; 1 for the threshold itself.

    The sentence alone decides how a word is written and inflected. What it cannot decide is what the writer meant: more
    of the edits that put other words are wrong, so these must be surer. Of two words that are often confused, such as
    “then” and “than”, the sentence decides again.
    """
    confused = old.strip().lower() in GLOSSES and new.strip().lower() in GLOSSES
    return 1 if kind is Kind.WORD_CHOICE and confused else _ROOTS.get(kind, 1)


def is_sure_alone(kind: Kind, old: str, new: str, confidence: float, threshold: float) -> bool:
    """Whether an edit is sure enough to be the only one of its sentence.

    In a sentence with one error a second one is to be expected. A sentence without another is mostly correct, so that
    its edit must reach the square root of what it needs elsewhere. How a word is written, and whether it agrees with
    another one, is clear by itself. What “it” or “them” refers to is mostly in another sentence, so that an edit that
    exchanges them is never sure alone, unless there is no threshold.
    """
    if kind in _CLEAR or _differ_in_apostrophe(old, new):
        return True
    if changes_referent(old, new):
        return threshold == 0
    needed: float = threshold ** (1 / (_LONE_ROOT * required_root(kind, old, new)))
    return confidence >= needed


def changes_referent(old: str, new: str) -> bool:
    """Whether a personal pronoun of the third person is exchanged for one that refers to something else."""
    before, after = _REFERENTS.get(old.strip().lower()), _REFERENTS.get(new.strip().lower())
    return None not in (before, after) and before != after


def _differ_in_apostrophe(old: str, new: str) -> bool:
    return ("'" in old + new or "’" in old + new) and old.translate(_APOSTROPHES) == new.translate(_APOSTROPHES)


def misspelling_power(old: str, new: str) -> float:
    """The power of the threshold that a respelling of a word that no text has must reach.

    If at most one letter in four is wrong, the third power, 0.51 for a threshold of 0.8. With more wrong letters the
    word could be any word, and must be as sure as other words are.
    """
    return MISSPELLING_POWER if is_plain_misspelling(old, new) else 1 / CONTENT_ROOT


def is_plain_misspelling(old: str, new: str) -> bool:
    """Whether at most one letter in four is wrong. Capitals are the same letters."""
    return letter_distance(old.lower(), new.lower()) <= max(1, len(old) // 4)
