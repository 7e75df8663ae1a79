"""A tagger as one of the ways to correct that are compared."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from redraft.lab.tagger.correcting import Tagger


class TaggerWay:
    """A tagger on the native engine with one thread. It has no decoder."""

    stopped = 0

    def __init__(self, folder: Path) -> None:
        self.name = f"tagger {folder.name}"
        self.passes = 0
        self._tagger = Tagger.open(folder, 1)

    def correct(self, sentences: Sequence[str]) -> list[str]:
        results = self._tagger.correct(sentences)
        self.passes += sum(result.passes for result in results)
        return [result.text for result in results]

    def count_calls(self, sentence: str) -> int:
        """Corrects a sentence. There are no decoder calls."""
        self.correct([sentence])
        return 0
