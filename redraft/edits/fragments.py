"""Fragments: single words, names, titles, list items and table cells, which need no verb, article or full stop."""

from __future__ import annotations

import re
from itertools import islice

from redraft.edits.edit import Edit, Kind
from redraft.edits.inflection import readings
from redraft.edits.lexicon import AUXILIARIES, COMMON_VERBS, IRREGULAR_VERBS, NEGATIONS, SUBJECT_PRONOUNS

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_END = re.compile(r"[.!?…。！？][\"'”’)\]」』）]*$")
_SHORT = 3
_LONG = 6
"""A longer line is a sentence, whatever its words are."""
_CLAUSE_WORDS = SUBJECT_PRONOUNS | AUXILIARIES | NEGATIONS


def is_fragment(sentence: str) -> bool:
    """Whether an English sentence is a single word, or a few words without a final stop and without a verb.

    Of two or three words only a pronoun or an auxiliary counts as sign of a verb: "Make friends" may be a title.
    """
    text = sentence.strip()
    words = [word.group().lower().replace("’", "'") for word in islice(_WORD.finditer(text), _LONG + 1)]
    if len(words) <= 1:
        return True
    if len(words) > _LONG or ends_sentence(text):
        return False
    parts = {part for word in words for part in (word, word.partition("'")[0], "'" + word.partition("'")[2])}
    if parts & _CLAUSE_WORDS:
        return False
    return len(words) <= _SHORT or not any(_may_be_verb(word) for word in words)


def ends_sentence(text: str) -> bool:
    """Whether a text ends with a full stop, a question mark or the like; quotes and brackets may follow."""
    return _END.search(text.rstrip()) is not None


def _may_be_verb(word: str) -> bool:
    return any(reading.base in COMMON_VERBS or reading.base in IRREGULAR_VERBS for reading in readings(word))


def suits_fragment(edit: Edit) -> bool:
    """Whether an edit may be made in a fragment: it corrects the spelling of a word, and nothing else."""
    if edit.source == re.sub("['’]", "", edit.replacement):
        return True
    return edit.kind in {Kind.SPELLING, Kind.DIALECT} and bool(edit.source.strip() and edit.replacement.strip())
