"""A sentence and its correction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pair:
    source: str
    target: str

    def respell(self, spell: Callable[[str], str]) -> Pair:
        """The pair with both sides in another spelling, such as `tokenize` gives."""
        return Pair(spell(self.source), spell(self.target))
