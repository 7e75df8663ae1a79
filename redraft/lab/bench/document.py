"""Time of checking a long document after one keystroke, against checking all of it and against its one sentence."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from statistics import median
from time import perf_counter
from typing import Any

from redraft.check.corrector import Corrector
from redraft.check.document import Document
from redraft.check.options import CheckOptions
from redraft.check.session import CheckSession
from redraft.chunks import chunks
from redraft.lab.bench.uncached import without_cache
from redraft.text.span import Span

WORDS = 3000
ROUNDS = 5
_TYPED = "quite "
_SENTENCES_IN_PARAGRAPH = 6
_SUBJECTS = (
    "The teacher",
    "My neighbour",
    "A young doctor",
    "The committee",
    "Our guide",
    "Every student",
    "His sister",
)
_VERBS = ("describes", "has visited", "often mentions", "will repair", "wrote about", "looks after", "has found")
_OBJECTS = (
    "the long road to the harbour",
    "a letter from the city",
    "the broken window of the house",
    "two pictures of the garden",
    "the last train of the evening",
    "an answer to the question",
)
_ENDS = (
    "because it was late",
    "before the winter came",
    "when nobody was there",
    "in spite of the rain",
    "with some help",
)


@dataclass(frozen=True, slots=True)
class DocumentReport:
    """Medians of wall-clock time in milliseconds."""

    format: str
    words: int
    whole: float
    """The first check of the document."""
    keystroke: float
    """A check after one letter was typed in the middle."""
    sentence: float
    """Correcting the sentence the letter was typed in, alone."""
    unchanged: float
    """A check after an edit that changes nothing: the overhead of the document itself."""

    def to_mapping(self) -> dict[str, Any]:
        return {**asdict(self), "ratio": self.whole / self.keystroke}


def make_text(words: int, seed: int = 0) -> str:
    """Generated prose of about `words` words."""
    choice = random.Random(seed)
    sentences: list[str] = []
    while sum(sentence.count(" ") + 1 for sentence in sentences) < words:
        parts = (choice.choice(words) for words in (_SUBJECTS, _VERBS, _OBJECTS, _ENDS))
        sentences.append(f"{' '.join(parts)}, {choice.randrange(1000)} times.")
    return "\n\n".join(map(" ".join, chunks(sentences, _SENTENCES_IN_PARAGRAPH)))


def run(
    corrector: Corrector, format: str = "plain", words: int = WORDS, advance: Callable[[], None] = lambda: None
) -> DocumentReport:
    """Interleaves the four measurements, so that a slow moment of the machine affects all of them."""
    uncached = without_cache(corrector)
    text = make_text(words)
    at = text.index(" ", len(text) // 2) + 1
    times: dict[str, list[float]] = {name: [] for name in ("whole", "keystroke", "sentence", "unchanged")}

    def measure(name: str, work: Callable[[], object]) -> None:
        start = perf_counter()
        work()
        times[name].append(1000 * (perf_counter() - start))

    for _ in range(ROUNDS):
        # A new cache for each round: the whole text is decoded, then only what was typed.
        session = CheckSession(corrector.with_solver_options(), CheckOptions(format=format))
        document = session.open(text)
        measure("whole", document.check)
        for place, letter in enumerate(_TYPED, at):
            measure("keystroke", partial(_type, document, place, letter))
            typed = next(found.text for found in document.check_stepwise() if found.span.end > place)
            measure("sentence", partial(uncached.correct, typed))
            measure("unchanged", partial(_type, document, place, ""))
        advance()
    return DocumentReport(format, words, **{name: median(found) for name, found in times.items()})


def _type(document: Document, place: int, letters: str) -> None:
    document.replace(Span(place, place), letters)
    document.check()
