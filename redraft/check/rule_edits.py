"""Edits that need no model: corrects certain errors, and keeps the model from completing what is no sentence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from redraft.edits.edit import Edit, Kind
from redraft.edits.fragments import is_fragment, suits_fragment
from redraft.edits.rules import RuleMatch, find_errors
from redraft.text.language_tags import parse_tag
from redraft.text.span import Span

_COLONS = (":", "：")
_STOP_BEFORE = re.compile(r"(?<![\w'’.-])(?!(?:hon|viz|spp|subsp)\.)(?:[a-z]{3,}|[A-Z][a-z]{4,})\. +$")
"""The end of another sentence on the same line. Its last word is no abbreviation. Other marks are not certain: “Lo! he
came”."""
_LOOK_BACK = 32


@dataclass(frozen=True)
class RuleSentence:
    """A sentence of a text, judged by rules. The rules for fragments and certain errors are English ones."""

    span: Span
    words: str
    is_english: bool
    follows_sentence: bool = False
    """Whether another sentence ends with a full stop before it, on the same line."""

    @classmethod
    def of(cls, text: str, span: Span, language: str) -> RuleSentence:
        follows = _STOP_BEFORE.search(text, max(0, span.start - _LOOK_BACK), span.start) is not None
        return cls(span, span.of(text), parse_tag(language).language == "en", follows)

    @cached_property
    def is_fragment(self) -> bool:
        return self.is_english and is_fragment(self.words)

    def is_harmed_by(self, edit: Edit) -> bool:
        """Whether an edit completes a fragment, or changes the colon before a list or a code block."""
        if self.words.endswith(_COLONS) and edit.span.end >= self.span.end and not edit.replacement.endswith(_COLONS):
            return True
        return self.is_fragment and not suits_fragment(edit)

    def certain_errors(self) -> list[RuleMatch]:
        """The matches of the rules, at their places in the text."""
        found = find_errors(self.words, self.follows_sentence) if self.is_english else []
        if not found or self.is_fragment:
            return []
        start = self.span.start
        return [
            RuleMatch(replace(match.edit, span=match.edit.span.shift(start)), match.evidence.shift(start))
            for match in found
        ]


def contradicts(match: RuleMatch, edits: Sequence[Edit]) -> bool:
    """Whether one of the model's edits changes a word that the rule was decided by, or the place next to it."""
    evidence = match.evidence
    if match.edit.kind is Kind.CASING and evidence == match.edit.span:  # what is beside it does not matter
        return any(edit.span.overlaps(evidence) for edit in edits)
    return any(edit.span.start <= evidence.end and evidence.start <= edit.span.end for edit in edits)
