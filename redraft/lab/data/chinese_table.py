"""Builds the Chinese error table: characters that sound or look alike, and inverted corrections of learners."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import pairwise
from pathlib import Path

from redraft.errors import ConfigError
from redraft.lab.data.filters import Overlap
from redraft.lab.data.gold import GoldCounts, GoldEdit, GoldSentence
from redraft.lab.data.noise import Noiser
from redraft.lab.data.pair import Pair
from redraft.lab.data.readers import Faults, read_lines, read_sentences
from redraft.lab.data.table import Candidate, ErrorTable, Family
from redraft.text.chinese_characters import simplifier
from redraft.text.sentences import split

FUNCTION_CHARACTERS = frozenset("的地得了着过在是有和与就都也很还把被给对从到为以而但不没这那个们所可会要能吗呢吧")
PUNCTUATION = frozenset("，。、；：？！“”‘’（）《》…")
CHARACTERS = 6_000
RANK_LIMITS = (100, 500, 2_000)
SMOOTHING = {1: 40.0, 2: 15.0, 3: 10.0}
SOUND_WEIGHTS = (4.0, 2.0, 1.0, 0.5)
"""Weights of characters with the same sound and tone, the same sound, a similar sound and tone, a similar sound."""
SHAPE_WEIGHT = 1.0
CONFUSED_RATE = 1_000.0
SAMPLE = 30_000
SHORTEST_FORBIDDEN = 8
"""Characters; shorter sentences are common phrases."""
RATES = {"mean": 0.055, "careless": 0.0, "tokenized": 0.0, "typographic": 0.0}
SHARES = {
    Family.SPELLING: 0.34, Family.FUNCTION: 0.22, Family.CHOICE: 0.15, Family.PUNCTUATION: 0.05, Family.DROP: 0.10,
    Family.REPEAT: 0.04, Family.ORDER: 0.08, Family.STRETCH: 0.02,
}  # fmt: skip
MEASURES = "个只条张件位名本辆座把台家间份种头朵棵支根双对套块片场次遍篇部封"
COUNTING = "一两二三四五六七八九十几这那每某各半"
MEASURE_RATE = 4_000.0
PARTICLES = {
    "的": {"地": 300.0, "得": 200.0, "": 500.0},
    "地": {"的": 9_000.0, "得": 1_500.0, "": 1_000.0},
    "得": {"的": 5_000.0, "地": 1_000.0, "": 500.0},
    "了": {"": 4_000.0, "过": 400.0, "着": 300.0},
    "着": {"了": 2_000.0, "": 1_500.0, "过": 200.0},
    "过": {"了": 1_500.0, "": 1_500.0},
}
"""Structural and aspect particles, what is written for them, and how often in a hundred thousand."""
LEAST_WORD_COUNT = 20
LEAST_COHESION = 12.0
"""Two characters are a word if they occur together this many times more often than by chance."""


@dataclass(frozen=True)
class ChineseSources:
    counts: Mapping[str, int]
    gold: Iterable[GoldSentence]
    confusions: Iterable[tuple[str, str, float]]
    """Right character, wrong character, weight."""
    sample: Iterable[str]
    words: frozenset[str] = frozenset()


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
    for right, wrongs in PARTICLES.items():
        for wrong, rate in wrongs.items():
            rates[right][wrong, Family.FUNCTION] += rate
    for right, wrong, rate in _list_measures(sources.counts):
        rates[right][wrong, Family.CHOICE] += rate
    table = ErrorTable(
        language="zh",
        unit="character",
        candidates={
            key: tuple(Candidate(wrong, family, rate) for (wrong, family), rate in sorted(found.items()))
            for key, found in rates.items()
        },
        ranks=ranks,
        function_words=FUNCTION_CHARACTERS,
        words=sources.words,
        rates=RATES,
        shares={family.value: share for family, share in SHARES.items()},
    )
    return replace(table, density=Noiser(table).measure(sources.sample))


def _list_measures(counts: Mapping[str, int]) -> Iterator[tuple[str, str, float]]:
    """Wrong measure words after a number: mostly the general one, else a frequent one."""
    total = sum(counts.get(measure, 0) for measure in MEASURES) or 1
    for measure in MEASURES:
        for other in MEASURES:
            share = 0.7 if other == MEASURES[0] else 0.3 * counts.get(other, 0) / total
            if other != measure and share > 0:
                yield from ((f"{number} {measure}", f"{number} {other}", MEASURE_RATE * share) for number in COUNTING)


def find_words(counts: Mapping[str, int], pairs: Mapping[str, int]) -> frozenset[str]:
    """Pairs of characters that occur together far more often than by chance."""
    total = sum(counts.values()) or 1
    return frozenset(
        pair
        for pair, count in pairs.items()
        if count >= LEAST_WORD_COUNT
        and all(map(_is_ideograph, pair))
        and not set(pair) & PARTICLES.keys()
        and count * total >= LEAST_COHESION * counts[pair[0]] * counts[pair[1]]
    )


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
    """Confusions of each character. Frequent wrong ones weigh more: input methods offer them first."""
    found: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for right, wrong, weight in confusions:
        if right in ranks and wrong in ranks and right != wrong:
            found[right][wrong] += weight * math.sqrt(counts[wrong])
    return found


def invert_pair(pair: Pair) -> GoldSentence:
    """The edits between two sentences, character by character, inverted."""
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
    """Sources from a folder with clean_*, confusion_*, pairs.tsv and mucgec.*, whose sentences are kept out."""
    clean = sorted(folder.glob("clean_*"))
    counts: Counter[str] = Counter()
    pairs: Counter[str] = Counter()
    sample: list[str] = []
    for path in clean:
        for number, sentence in enumerate(read_sentences(path, faults)):
            counts.update(sentence)
            pairs.update(map("".join, pairwise(sentence)))
            if number < SAMPLE // len(clean):
                sample.append(sentence)
    gold = (invert_pair(found.pair) for found in read_labelled(folder, collect_forbidden(folder, faults), faults))
    return ChineseSources(counts, gold, _read_confusions(folder, faults), sample, find_words(counts, pairs))


def collect_forbidden(folder: Path, faults: Faults) -> Overlap:
    """Lines of the files `mucgec.*` and their sentences, which training must not see."""
    columns = (
        column.strip()
        for path in sorted(folder.glob("mucgec.*"))
        for _, line in read_lines(path, faults)
        for column in line.split("\t")
    )
    return Overlap(text for column in columns for text in (column, *_list_sentences(column)))


def _list_sentences(text: str) -> list[str]:
    return [span.of(text) for span in split(text) if len(span.of(text)) >= SHORTEST_FORBIDDEN]


@dataclass(frozen=True, slots=True)
class LabelledPair:
    kind: str
    """`grammar` or `spell`."""
    pair: Pair


def read_labelled(folder: Path, forbidden: Overlap, faults: Faults) -> Iterator[LabelledPair]:
    """Pairs of a folder that training may see; lines are type, origin, source and target between tabs."""
    for path in sorted(folder.glob("pairs.tsv*")):
        for number, line in read_lines(path, faults):
            columns = line.split("\t")
            if len(columns) != 4:
                faults.note(path, number, "expected type, origin, source and target between tabs")
            elif not forbidden.holds(columns[2]) and not forbidden.holds(columns[3]):
                yield LabelledPair(columns[0], Pair(columns[2], columns[3]))


def _read_confusions(folder: Path, faults: Faults) -> Iterator[tuple[str, str, float]]:
    """Right character, wrong character, weight. Without OpenCC, sets in traditional characters are read as they are."""
    try:
        simplify = simplifier()
    except ConfigError:
        simplify = str
    for name, weights in (
        ("confusion_pycorrector_same_pinyin.txt", SOUND_WEIGHTS),
        ("confusion_sighan13_SimilarPronunciation.txt", SOUND_WEIGHTS),
    ):
        for _, line in read_lines(folder / name, faults):
            right, *columns = simplify(line).split("\t")
            for weight, wrongs in zip(weights, columns, strict=False):
                yield from ((right, wrong, weight) for wrong in wrongs)
    for name in ("confusion_pycorrector_same_stroke.txt", "confusion_sighan13_SimilarShape.txt"):
        for _, line in read_lines(folder / name, faults):
            characters = simplify(line).replace(",", "").replace("\t", "")
            yield from ((characters[0], wrong, SHAPE_WEIGHT) for wrong in characters[1:])
