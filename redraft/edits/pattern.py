"""A rule that is a pattern of characters, and what it finds."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
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
    parts: tuple[str, ...] | frozenset[str]
    """What most sentences do not have, so that they need no search: characters, or in a set words in small letters, one
    of which is in every match."""
    pattern: re.Pattern[str]
    replace: Callable[[re.Match[str]], str | None]
    """The replacement of the group `old`; None where the rule does not apply."""

    def may_match(self, sentence: str, words: Collection[str]) -> bool:
        """`words` are those of the sentence, in small letters."""
        if isinstance(self.parts, frozenset):
            return not self.parts.isdisjoint(words)
        for part in self.parts:  # noqa: SIM110 (a generator takes several times as long, and every sentence is asked)
            if part in sentence:
                return True
        return False

    def find(self, sentence: str) -> Iterator[PatternMatch]:
        for match in self.pattern.finditer(sentence):
            replacement = self.replace(match)
            if replacement is not None:
                yield PatternMatch(Span(*match.span("old")), replacement, self.kind, Span(*match.span()))


def written_like(old: str, new: str) -> str:
    """A word with the capital and the apostrophe of another one."""
    written = new.replace("'", "’") if "’" in old else new
    return written[0].upper() + written[1:] if old[0].isupper() else written


def find_all(rules: Iterable[PatternRule], sentence: str, words: Collection[str]) -> list[PatternMatch]:
    """What the rules find in an English sentence with these words in small letters, one rule after the other."""
    return [match for rule in rules if rule.may_match(sentence, words) for match in rule.find(sentence)]
