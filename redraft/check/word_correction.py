"""A word that is written for another one of a sentence."""

from __future__ import annotations

from dataclasses import dataclass

from redraft.text.span import Span


@dataclass(frozen=True, slots=True)
class WordCorrection:
    span: Span
    """Of the word that is replaced."""
    word: str
    confidence: float
    """How sure the model is of the new word."""
