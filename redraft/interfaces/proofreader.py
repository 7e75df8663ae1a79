"""A corrector as a user has set it up: with a dictionary of words to leave alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from redraft.corrector import Correction, Corrector


@dataclass(frozen=True, slots=True)
class Proofreader:
    corrector: Corrector
    dictionary: frozenset[str] = frozenset()

    def correct(self, text: str) -> Correction:
        return self.corrector.correct(text, self.dictionary)

    def pipe(self, texts: Iterable[str]) -> Iterator[Correction]:
        return self.corrector.pipe(texts, self.dictionary)
