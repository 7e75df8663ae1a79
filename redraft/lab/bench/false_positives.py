"""False positives: changes made to correct text, and to strings that must be copied, such as names and addresses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from difflib import SequenceMatcher
from typing import Any

from redraft.check.corrector import Corrector
from redraft.edits.edit import Edit, Kind
from redraft.lab.train.correct_sentences import CorrectSentence

SHARED_START = 3
MIN_SIMILARITY = 0.5
_CONTENT = frozenset({Kind.SPELLING, Kind.WORD_CHOICE, Kind.WORD_FORM, Kind.NOUN_NUMBER, Kind.VERB_FORM})
"""Kinds of edits that may replace a content word. Articles and prepositions have no stem to compare."""


@dataclass(frozen=True, slots=True)
class Changed:
    source: str
    text: str
    unrelated: tuple[str, ...]
    """Words replaced by a word of another stem, each as `before → after`."""


@dataclass(slots=True)
class FalsePositiveReport:
    threshold: float
    sentences: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    changed: list[Changed] = field(default_factory=list)
    strings: int = 0
    altered: list[str] = field(default_factory=list)
    """Strings that were not copied, each as `string: sentence`."""

    def to_mapping(self) -> dict[str, Any]:
        return {
            "threshold": self.threshold,
            "sentences": self.sentences,
            "changed": len(self.changed) / max(1, self.sentences),
            "unrelated_words": sum(len(changed.unrelated) for changed in self.changed),
            "kinds": dict(self.kinds.most_common()),
            "strings": self.strings,
            "altered_strings": len(self.altered) / max(1, self.strings),
            "altered": self.altered,
            "changes": [asdict(changed) for changed in self.changed],
        }


def run(
    corrector: Corrector, sentences: Sequence[str], probes: Sequence[CorrectSentence], advance: Callable[[], object]
) -> FalsePositiveReport:
    """Corrects correct sentences and probes, and collects the changes. `advance` is called after each."""
    report = FalsePositiveReport(corrector.thresholds[corrector.info.language], len(sentences))
    for result in corrector.pipe(sentences):
        if result.text != result.source:
            report.kinds.update(edit.kind.value for edit in result.edits)
            report.changed.append(Changed(result.source, result.text, tuple(_unrelated(result.edits))))
        advance()
    for probe, result in zip(probes, corrector.pipe(probe.text for probe in probes), strict=True):
        report.strings += len(probe.strings)
        report.altered += [
            f"{string}: {result.text}"
            for string in dict.fromkeys(probe.strings)
            if result.text.count(string) < probe.text.count(string)
        ]
        advance()
    return report


def _unrelated(edits: Iterable[Edit]) -> Iterable[str]:
    for edit in edits:
        before, after = edit.source.strip(), edit.replacement.strip()
        if edit.kind in _CONTENT and before.isalpha() and after.isalpha() and not share_a_stem(before, after):
            yield f"{before} → {after}"


def share_a_stem(one: str, other: str) -> bool:
    """Approximately: the same first letters, or most letters the same in the same order."""
    one, other = one.casefold(), other.casefold()
    same_start = one[:SHARED_START] == other[:SHARED_START]
    return same_start or SequenceMatcher(None, one, other, autojunk=False).ratio() >= MIN_SIMILARITY
