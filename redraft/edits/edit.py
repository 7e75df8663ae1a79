"""Edits of a text: span, replacement, kind, confidence and explanation."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from redraft.text.span import Span


class Kind(StrEnum):
    """The kind of error that an edit corrects. Users see the value, filter by it and turn kinds off by it."""

    SPELLING = "spelling"
    DIALECT = "dialect"
    CASING = "casing"
    PUNCTUATION = "punctuation"
    SPACING = "spacing"
    ARTICLE = "article"
    PREPOSITION = "preposition"
    PRONOUN = "pronoun"
    AGREEMENT = "agreement"
    VERB_FORM = "verb-form"
    NOUN_NUMBER = "noun-number"
    WORD_FORM = "word-form"
    WORD_ORDER = "word-order"
    WORD_CHOICE = "word-choice"
    MISSING_WORD = "missing-word"
    REDUNDANCY = "redundancy"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace `source`, the text at `span`, by `replacement`.

    An insertion has an empty span, a deletion an empty replacement.
    """

    span: Span
    source: str
    replacement: str
    kind: Kind = Kind.OTHER
    confidence: float = 1.0
    explanation: str = ""
    certain: bool = True
    """False for a possible error: the model is sure that something is wrong there, but not of the replacement. Such
    edits are shown if the options ask for them, and never made by themselves."""


def apply(text: str, edits: Iterable[Edit]) -> str:
    """Applies the edits to the text. They may be in any order but must not overlap."""
    pieces: list[str] = []
    position = 0
    for edit in sorted(edits, key=lambda edit: edit.span):
        if edit.span.start < position or edit.span.end > len(text):
            raise ValueError(f"edit at {edit.span.start}..{edit.span.end} overlaps another or leaves the text")
        if edit.span.of(text) != edit.source:
            raise ValueError(f"edit at {edit.span.start} expects {edit.source!r}, the text has {edit.span.of(text)!r}")
        pieces += (text[position : edit.span.start], edit.replacement)
        position = edit.span.end
    pieces.append(text[position:])
    return "".join(pieces)
