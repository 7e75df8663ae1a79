"""The Chinese error table: characters that sound or look alike, and what learners' corrections turned around tell."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from pathlib import Path

from redraft.data.gold import GoldCounts, GoldEdit, GoldSentence
from redraft.data.noise import Noiser, NoiseRates
from redraft.data.pair import Pair
from redraft.data.readers import Faults, read_lines, read_sentences
from redraft.data.table import Candidate, ErrorTable, Family

FUNCTION_CHARACTERS = frozenset("的地得了着过在是有和与就都也很还把被给对从到为以而但不没这那个们所可会要能吗呢吧")
PUNCTUATION = frozenset("，。、；：？！“”‘’（）《》…")
CHARACTERS = 6_000
RANK_LIMITS = (100, 500, 2_000)
SMOOTHING = {1: 40.0, 2: 15.0, 3: 10.0}
SOUND_WEIGHTS = (4.0, 2.0, 1.0, 0.5)
"""For characters with the same sound and tone, the same sound, a near sound and tone, a near sound."""
SHAPE_WEIGHT = 1.0
CONFUSED_RATE = 1_000.0
SAMPLE = 30_000
RATES = NoiseRates(
    mean=0.05,
    careless=0.0,
    tokenized=0.0,
    typographic=0.0,
    shares={
        Family.SPELLING: 0.42, Family.FUNCTION: 0.2, Family.CHOICE: 0.14, Family.PUNCTUATION: 0.06, Family.DROP: 0.08,
        Family.REPEAT: 0.03, Family.ORDER: 0.05, Family.STRETCH: 0.02,
    },
)  # fmt: skip


@dataclass(frozen=True)
class ChineseSources:
    counts: Mapping[str, int]
    gold: Iterable[GoldSentence]
    confusions: Iterable[tuple[str, str, float]]
    """Right character, wrong character, weight."""
    sample: Iterable[str]


def build(sources: ChineseSources) -> ErrorTable:
    ranks = rank(sources.counts)
    rates: dict[str, dict[tuple[str, Family], float]] = defaultdict(lambda: defaultdict(float))
    gold = GoldCounts()
    for sentence in sources.gold:
        gold.add(sentence, frozenset())
    for right, found in gold.invert(
        SMOOTHING, lambda right, wrong, family, count: _keep(right, wrong, count, ranks)
    ).items():
        for candidate in found:
            rates[right][candidate.wrong, candidate.family] += candidate.rate
    for right, wrongs in _weigh_confusions(sources.confusions, ranks, sources.counts).items():
        total = sum(wrongs.values())
        for wrong, weight in wrongs.items():
            rates[right][wrong, Family.SPELLING] += CONFUSED_RATE * weight / total
    table = ErrorTable(
        language="zh",
        unit="character",
        candidates={
            key: tuple(Candidate(wrong, family, rate) for (wrong, family), rate in sorted(found.items()))
            for key, found in rates.items()
        },
        ranks=ranks,
        function_words=FUNCTION_CHARACTERS,
    )
    return replace(table, density=Noiser(table, rates=RATES).measure(sources.sample))


def rank(counts: Mapping[str, int]) -> dict[str, int]:
    characters = sorted(filter(_is_ideograph, counts), key=lambda character: (-counts[character], character))
    return {
        character: sum(place >= limit for limit in RANK_LIMITS)
        for place, character in enumerate(characters[:CHARACTERS])
    }


def _is_ideograph(character: str) -> bool:
    return "\u4e00" <= character <= "\u9fff"


def _keep(right: str, wrong: str, count: int, ranks: Mapping[str, int]) -> bool:
    characters = {*right.split(), *wrong.split()}
    if any(character not in ranks and character not in PUNCTUATION for character in characters):
        return False
    changed = set(right.split()) ^ set(wrong.split())
    return count > 1 if changed <= FUNCTION_CHARACTERS | PUNCTUATION else count > 2


def _weigh_confusions(
    confusions: Iterable[tuple[str, str, float]], ranks: Mapping[str, int], counts: Mapping[str, int]
) -> dict[str, dict[str, float]]:
    """Each character's confusions: the commoner the wrong one, the likelier an input method offers it first."""
    found: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for right, wrong, weight in confusions:
        if right in ranks and wrong in ranks and right != wrong:
            found[right][wrong] += weight * math.sqrt(counts[wrong])
    return found


def invert_pair(pair: Pair) -> GoldSentence:
    """The edits between two sentences, character by character, turned around."""
    right, wrong = tuple("".join(pair.target.split())), tuple("".join(pair.source.split()))
    matcher = SequenceMatcher(None, right, wrong, autojunk=False)
    edits = [
        GoldEdit(start, end, wrong[first:last], _judge(right[start:end], wrong[first:last]))
        for tag, start, end, first, last in matcher.get_opcodes()
        if tag != "equal"
    ]
    return GoldSentence(right, tuple(edits))


def _judge(right: tuple[str, ...], wrong: tuple[str, ...]) -> Family:
    characters = {*right, *wrong}
    if characters <= PUNCTUATION:
        return Family.PUNCTUATION
    if characters <= FUNCTION_CHARACTERS:
        return Family.FUNCTION
    return Family.SPELLING if len(right) == len(wrong) == 1 else Family.CHOICE


def gather(folder: Path, faults: Faults) -> ChineseSources:
    """Everything under a folder with clean_*, confusion_*, pairs.tsv and the list of sentences to keep out."""
    clean = sorted(folder.glob("clean_*"))
    counts: Counter[str] = Counter()
    sample: list[str] = []
    for path in clean:
        for number, sentence in enumerate(read_sentences(path, faults)):
            counts.update(sentence)
            if number < SAMPLE // len(clean):
                sample.append(sentence)
    return ChineseSources(
        counts, map(invert_pair, _read_pairs(folder, faults)), _read_confusions(folder, faults), sample
    )


def _read_pairs(folder: Path, faults: Faults) -> Iterator[Pair]:
    """Type, origin, source and target between tabs."""
    forbidden = {line for path in folder.glob("mucgec.filter*") for _, line in read_lines(path, faults)}
    for path in sorted(folder.glob("pairs.tsv*")):
        for number, line in read_lines(path, faults):
            columns = line.split("\t")
            if len(columns) != 4:
                faults.note(path, number, "expected type, origin, source and target between tabs")
            elif columns[2] not in forbidden and columns[3] not in forbidden:
                yield Pair(columns[2], columns[3])


def _read_confusions(folder: Path, faults: Faults) -> Iterator[tuple[str, str, float]]:
    for name, weights in (
        ("confusion_pycorrector_same_pinyin.txt", SOUND_WEIGHTS),
        ("confusion_sighan13_SimilarPronunciation.txt", SOUND_WEIGHTS),
    ):
        for _, line in read_lines(folder / name, faults):
            right, *columns = line.split("\t")
            for weight, wrongs in zip(weights, columns, strict=False):
                yield from ((right, wrong, weight) for wrong in wrongs)
    for name in ("confusion_pycorrector_same_stroke.txt", "confusion_sighan13_SimilarShape.txt"):
        for _, line in read_lines(folder / name, faults):
            characters = line.replace(",", "").replace("\t", "")
            yield from ((characters[0], wrong, SHAPE_WEIGHT) for wrong in characters[1:])
