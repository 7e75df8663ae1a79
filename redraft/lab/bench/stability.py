"""Stability: whether corrected text stays as it is when it is corrected again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from redraft.check.corrector import Corrector


@dataclass(frozen=True, slots=True)
class Unstable:
    """A sentence whose correction is changed by a second correction."""

    source: str
    first: str
    second: str


@dataclass(frozen=True, slots=True)
class StabilityReport:
    threshold: float
    sentences: int
    corrected: int
    """Sentences that the first correction changes."""
    unstable: tuple[Unstable, ...]

    def to_mapping(self) -> dict[str, Any]:
        return {
            "threshold": self.threshold,
            "sentences": self.sentences,
            "corrected": self.corrected,
            "changed_again": len(self.unstable),
            "changed_again_share": len(self.unstable) / max(1, self.sentences),
            "changes": [asdict(unstable) for unstable in self.unstable],
        }


def run(corrector: Corrector, sentences: Sequence[str], advance: Callable[[], None] = lambda: None) -> StabilityReport:
    """Corrects each sentence, and each result that differs from it again. `advance` is called after each sentence."""
    corrected = []
    for result in corrector.pipe(sentences):
        if result.text != result.source:
            corrected.append(result)
        advance()
    unstable = tuple(
        Unstable(first.source, first.text, second.text)
        for first, second in zip(corrected, corrector.pipe(first.text for first in corrected), strict=True)
        if second.text != first.text
    )
    return StabilityReport(corrector.thresholds[corrector.info.language], len(sentences), len(corrected), unstable)
