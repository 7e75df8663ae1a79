"""Speed of the MaxMatch scorer on a test set of usual size, and on a hypothesis that shares nothing with its source.

The texts are generated from a fixed seed, so that figures can be compared between machines.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from redraft.edits.m2 import M2Edit, M2Sentence
from redraft.lab.evaluate import maxmatch

SEED = 7
SENTENCES = 1312  # as many as the test set of CoNLL-2014 has
SENTENCE_WORDS = (10, 40)
ANNOTATORS = 2
ERROR_RATE = 0.1
VOCABULARY = 2000
SOURCE_WORDS = 50
UNRELATED_WORDS = 200


@dataclass(frozen=True, slots=True)
class ScoreReport:
    """Time in one process for a corpus, and for one hypothesis unrelated to its source.

    `…_seconds` are wall-clock time, `…_processor_seconds` processor time.
    """

    sentences: int
    corpus_seconds: float
    corpus_processor_seconds: float
    source_words: int
    hypothesis_words: int
    unrelated_seconds: float
    unrelated_processor_seconds: float

    def to_mapping(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class _Duration:
    clock: float
    processor: float


def run(advance: Callable[[], None] = lambda: None) -> ScoreReport:
    """Times the scorer; `advance` is called after each sentence of the corpus."""
    generator = random.Random(SEED)
    words = [f"w{number}" for number in range(VOCABULARY)]
    gold = [_annotate(_write(generator, words), generator, words) for _ in range(SENTENCES)]
    hypotheses = [" ".join(_disturb(sentence.tokens, generator, words)) for sentence in gold]
    corpus = _time(lambda: maxmatch.score(hypotheses, gold, advance=advance))
    sentence = _annotate(generator.choices(words, k=SOURCE_WORDS), generator, words)
    unrelated = " ".join(generator.choices(words, k=UNRELATED_WORDS))
    single = _time(lambda: maxmatch.score([unrelated], [sentence]))
    return ScoreReport(
        sentences=SENTENCES,
        corpus_seconds=corpus.clock,
        corpus_processor_seconds=corpus.processor,
        source_words=SOURCE_WORDS,
        hypothesis_words=UNRELATED_WORDS,
        unrelated_seconds=single.clock,
        unrelated_processor_seconds=single.processor,
    )


def _time(work: Callable[[], object]) -> _Duration:
    clock, processor = time.perf_counter(), time.process_time()
    work()
    return _Duration(time.perf_counter() - clock, time.process_time() - processor)


def _write(generator: random.Random, words: Sequence[str]) -> list[str]:
    # Squaring makes some words frequent, as in real text: repeated words make a lattice larger.
    length = generator.randint(*SENTENCE_WORDS)
    return [words[int(generator.random() ** 2 * len(words))] for _ in range(length)]


def _annotate(tokens: Sequence[str], generator: random.Random, words: Sequence[str]) -> M2Sentence:
    edits = [
        M2Edit(place, place + generator.randint(0, 1), "generated", (generator.choice(words),), annotator=annotator)
        for annotator in range(ANNOTATORS)
        for place in range(len(tokens))
        if generator.random() < ERROR_RATE
    ]
    return M2Sentence(tuple(tokens), tuple(edits))


def _disturb(tokens: Sequence[str], generator: random.Random, words: Sequence[str]) -> list[str]:
    disturbed: list[str] = []
    for token in tokens:
        choice = generator.random() / ERROR_RATE
        if choice >= 1:
            disturbed.append(token)
        elif choice >= 0.6:
            disturbed.append(generator.choice(words))
        elif choice >= 0.3:
            disturbed += (token, generator.choice(words))
    return disturbed
