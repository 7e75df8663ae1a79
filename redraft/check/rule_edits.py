"""Edits of a sentence besides those of the model: certain errors, and what a fragment must not be changed into."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from redraft.edits.edit import Edit
from redraft.edits.rules import find_errors
from redraft.text.span import Span, SpanSet


def add_certain_errors(text: str, sentence: Span, edits: Sequence[Edit], protected: SpanSet) -> list[Edit]:
    """The model's edits of a sentence and the certain errors that they do not touch, in order.

    A rule sees the sentence as it was. Where the model changes a word that the rule was decided by, the rule might
    contradict it and is left out.
    """
    found: list[Edit] = []
    for match in find_errors(sentence.of(text)):
        span, evidence = match.edit.span.shift(sentence.start), match.evidence.shift(sentence.start)
        touched = any(edit.span.start <= evidence.end and evidence.start <= edit.span.end for edit in edits)
        if not touched and not protected.overlap(span):
            found.append(replace(match.edit, span=span))
    return sorted([*edits, *found], key=lambda edit: edit.span)
