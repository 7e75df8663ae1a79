"""A rule that is a pattern of characters, and what it finds."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from redraft.edits.edit import Kind
from redraft.text.span import Span


@dataclass(frozen=True, slots=True)
class PatternMatch:
    """What a rule replaces, and the characters it was decided by."""

    span: Span
    replacement: str
    kind: Kind
    evidence: Span


@dataclass(frozen=True, slots=True)
class PatternRule:
    kind: Kind
    parts: tuple[str, ...]
    """Characters one of which is in every match, so that most sentences need no search."""
    pattern: re.Pattern[str]
    replace: Callable[[re.Match[str]], str | None]
    """The replacement of the group `old`; None where the rule does not apply."""

    def find(self, sentence: str) -> Iterator[PatternMatch]:
        if any(part in sentence for part in self.parts):
            for match in self.pattern.finditer(sentence):
                replacement = self.replace(match)
                if replacement is not None:
                    yield PatternMatch(Span(*match.span("old")), replacement, self.kind, Span(*match.span()))


def find_all(rules: Iterable[PatternRule], sentence: str) -> Iterator[PatternMatch]:
    """What the rules find in an English sentence, one rule after the other."""
    return (match for rule in rules for match in rule.find(sentence))
