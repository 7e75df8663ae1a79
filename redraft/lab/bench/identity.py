"""Comparison of every draft policy with greedy decoding: identical output, and the number of decoder calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from redraft.decode.drafts import POLICIES
from redraft.decode.loop import DecodeOptions, decode_batch
from redraft.decode.stepper import Engine
from redraft.tokens.tokenizer import Tokenizer

GREEDY = "none"


@dataclass(frozen=True, slots=True)
class Difference:
    sentence: str
    greedy: str
    output: str


@dataclass(slots=True)
class PolicyCount:
    """Totals of one draft policy over all sentences."""

    calls: int = 0
    verified: int = 0
    sentences: int = 0
    differences: list[Difference] = field(default_factory=list)

    def to_mapping(self) -> dict[str, Any]:
        sentences = max(1, self.sentences)
        return {
            "identical": not self.differences,
            "mean_calls": self.calls / sentences,
            "mean_verified": self.verified / sentences,
            "differences": [asdict(difference) for difference in self.differences],
        }


@dataclass(frozen=True, slots=True)
class IdentityReport:
    engine: str
    threshold: float
    """The confidence threshold applied while decoding, with every policy and with greedy."""
    sentences: int
    skipped: int
    """Lines too long for the model, which a corrector would split first."""
    policies: dict[str, PolicyCount]

    @property
    def identical(self) -> bool:
        return all(not count.differences for count in self.policies.values())

    def to_mapping(self) -> dict[str, Any]:
        return {
            "engine": self.engine,
            "threshold": self.threshold,
            "sentences": self.sentences,
            "skipped": self.skipped,
            "identical": self.identical,
            "policies": {name: count.to_mapping() for name, count in self.policies.items()},
        }


def compare(
    engine: Engine,
    tokenizer: Tokenizer,
    sentences: Iterable[str],
    policies: Sequence[str] = tuple(POLICIES),
    options: DecodeOptions | None = None,
    advance: Callable[[], None] = lambda: None,
) -> IdentityReport:
    """Decodes each sentence by itself with every policy. `advance` is called after each sentence."""
    options = options or DecodeOptions()
    names = [GREEDY, *(name for name in policies if name != GREEDY)]
    counts = {name: PolicyCount() for name in names}
    done = skipped = 0
    for sentence in sentences:
        source = tokenizer.encode(sentence)
        if len(source) >= engine.max_tokens:
            skipped += 1
            advance()
            continue
        expected: list[int] = []
        for name in names:
            decoded = decode_batch(engine, [source], tokenizer, replace(options, policy=name))[0]
            count = counts[name]
            count.sentences += 1
            count.calls += len(decoded.calls)
            count.verified += decoded.verified
            if name == GREEDY:
                expected = decoded.ids
            elif decoded.ids != expected:
                difference = Difference(sentence, tokenizer.decode(expected), tokenizer.decode(decoded.ids))
                count.differences.append(difference)
        done += 1
        advance()
    return IdentityReport(engine.name, options.threshold, done, skipped, counts)
