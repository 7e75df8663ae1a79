"""Edits that need no model: corrects certain errors, and keeps the model from completing what is no sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from redraft.edits.edit import Edit
from redraft.edits.fragments import is_fragment, suits_fragment
from redraft.edits.rules import RuleMatch, find_errors
from redraft.text.span import Span

_COLONS = (":", "：")


def is_harmful(edit: Edit, text: str, sentence: Span, language: str) -> bool:
    """Whether an edit completes a fragment, or changes the colon before a list or a code block."""
    words = sentence.of(text)
    if words.endswith(_COLONS) and edit.span.end >= sentence.end and not edit.replacement.endswith(_COLONS):
        return True
    return _is_english(language) and is_fragment(words) and not suits_fragment(edit)


def find_certain_errors(text: str, sentence: Span, language: str) -> list[RuleMatch]:
    """The matches of the rules in one sentence, at their places in the text."""
    words = sentence.of(text)
    if not _is_english(language) or is_fragment(words):
        return []
    return [
        RuleMatch(replace(match.edit, span=match.edit.span.shift(sentence.start)), match.evidence.shift(sentence.start))
        for match in find_errors(words)
    ]


def contradicts(match: RuleMatch, edits: Sequence[Edit]) -> bool:
    """Whether one of the model's edits changes a word that the rule was decided by, or the place next to it."""
    evidence = match.evidence
    return any(edit.span.start <= evidence.end and evidence.start <= edit.span.end for edit in edits)


def _is_english(language: str) -> bool:
    return language.lower().partition("-")[0] == "en"
