"""Builds the error table of any language with spaces between words from corrected sentences alone.

Corrections are inverted: which words, endings and letters are confused, how often, and in what mixture. Nothing here
depends on the language; a few thousand corrected sentences are enough.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher

from redraft.edits.common_prefix import common_prefix_length
from redraft.errors import InputError
from redraft.lab.data.gold import PER, GoldCounts, GoldEdit, GoldSentence, similarity
from redraft.lab.data.noise import Noiser
from redraft.lab.data.pair import Pair
from redraft.lab.data.table import Candidate, ErrorTable, Family
from redraft.lab.data.tokenization import tokenize

RANK_LIMITS = (100, 1_000, 10_000, 100_000)
FUNCTION_WORDS = 100
LONGEST_FUNCTION_WORD = 4
SMOOTHING = {1: 20.0, 2: 8.0, 3: 5.0}
MISSPELT = 0.6
"""Least similarity of a word and an unknown word that is its misspelling."""
LEAST_STEM = 3
LEAST_ENDINGS = 3
LEAST_RULES = 3
SAMPLE = 20_000
SLIPS = {Family.REPEAT: 0.015, Family.ORDER: 0.03, Family.DROP: 0.015, Family.STRETCH: 0.015}
"""Shares of errors that every language has and that corrected text shows rarely."""


@dataclass
class _Lessons:
    """Counts from the corrections, besides those of `GoldCounts`."""

    families: Counter[Family] = field(default_factory=Counter)
    misspellings: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    endings: Counter[tuple[str, str]] = field(default_factory=Counter)
    letters: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    rules: Counter[tuple[str, str]] = field(default_factory=Counter)
    splits: dict[str, str] = field(default_factory=dict)
    edits: int = 0
    tokens: int = 0
    """Tokens of the sentences with edits."""

    def learn(self, sentence: GoldSentence) -> None:
        if not sentence.edits:
            return
        self.edits += len(sentence.edits)
        self.tokens += len(sentence.tokens)
        for edit in sentence.edits:
            self.families[edit.family] += 1
            right = tuple(token.lower() for token in sentence.tokens[edit.start : edit.end])
            wrong = tuple(token.lower() for token in edit.wrong)
            if edit.family is Family.SPACING and len(right) == 1 and len(wrong) == 2:
                self.splits[right[0]] = " ".join(wrong)
            elif len(right) == len(wrong) == 1 and edit.family is Family.SPELLING:
                self.misspellings[right[0]][wrong[0]] += 1
                self._learn_letters(right[0], wrong[0])
            elif len(right) == len(wrong) == 1 and edit.family is Family.WORD_FORM:
                stem = common_prefix_length(right[0], wrong[0])
                self.endings[right[0][stem:], wrong[0][stem:]] += 1

    def _learn_letters(self, right: str, wrong: str) -> None:
        for tag, start, end, first, last in SequenceMatcher(None, right, wrong, autojunk=False).get_opcodes():
            old, new = right[start:end], wrong[first:last]
            if tag == "replace" and len(old) == len(new) == 1:
                self.letters[old][new] += 1
            elif tag != "equal":
                # The letter before gives an insertion or deletion its place.
                before = right[max(0, start - 1) : start]
                if before + old:
                    self.rules[before + old, before + new] += 1


def build(language: str, pairs: Iterable[Pair], clean: Iterable[str] = ()) -> ErrorTable:
    """Table from pairs of wrong and right sentences, and clean text if there is any."""
    found = list(pairs)
    if not any(pair.source != pair.target for pair in found):
        raise InputError("an error table is built from corrections, but both sides of every pair are equal")
    text = [*(pair.target for pair in found), *clean]
    counts = Counter(word.lower() for sentence in text for word in tokenize(sentence).split() if word.isalpha())
    function_words = _find_function_words(counts)
    gold, lessons = GoldCounts(), _Lessons()
    for pair in found:
        sentence = invert_pair(pair, counts, function_words)
        gold.add(sentence, frozenset())
        lessons.learn(sentence)
    table = ErrorTable(
        language=language,
        candidates=_list_candidates(gold, lessons, counts),
        misspellings={
            right: tuple((wrong, float(count)) for wrong, count in wrongs.most_common())
            for right, wrongs in lessons.misspellings.items()
        },
        ranks=_rank(counts),
        function_words=function_words,
        splits=lessons.splits,
        spelling_rules=tuple(rule for rule, count in lessons.rules.items() if count >= LEAST_RULES),
        keyboard={letter: "".join(near.elements()) for letter, near in lessons.letters.items()},
        rates={"mean": round(lessons.edits / max(1, lessons.tokens), 3), "tokenized": 0.0, "typographic": 0.0},
        shares=_share_out(lessons.families),
    )
    return replace(table, density=Noiser(table).measure(text[:SAMPLE]))


def invert_pair(pair: Pair, counts: Mapping[str, int], function_words: frozenset[str]) -> GoldSentence:
    """The edits between two sentences, word by word, turned around."""
    right, wrong = tuple(tokenize(pair.target).split()), tuple(tokenize(pair.source).split())
    edits = []
    for tag, start, end, first, last in SequenceMatcher(None, right, wrong, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        for piece in _pair_up(range(start, end), range(first, last)):
            old, new = right[piece[0].start : piece[0].stop], wrong[piece[1].start : piece[1].stop]
            edits.append(GoldEdit(piece[0].start, piece[0].stop, new, judge(old, new, counts, function_words)))
    return GoldSentence(right, tuple(edits))


def _pair_up(right: range, wrong: range) -> Iterator[tuple[range, range]]:
    """Equal numbers of words are one edit each; anything else is one edit."""
    if len(right) == len(wrong):
        yield from ((range(a, a + 1), range(b, b + 1)) for a, b in zip(right, wrong, strict=True))
    else:
        yield right, wrong


def judge(
    right: Sequence[str], wrong: Sequence[str], counts: Mapping[str, int], function_words: frozenset[str]
) -> Family:
    """Family of an error, from the shapes of the words and which of them are known."""
    words = [token.lower() for token in (*right, *wrong)]
    if "".join(right).lower() == "".join(wrong).lower():
        return Family.CASING if len(right) == len(wrong) else Family.SPACING
    if not any(character.isalnum() for word in words for character in word):
        return Family.PUNCTUATION
    if all(word in function_words for word in words):
        return Family.FUNCTION
    if len(right) == len(wrong) == 1:
        old, new = words
        if counts.get(new, 0) == 0:
            return Family.SPELLING if similarity(old, new) >= MISSPELT else Family.CHOICE
        stem = common_prefix_length(old, new)
        return Family.WORD_FORM if stem >= LEAST_STEM and 2 * stem >= len(old) else Family.CHOICE
    return Family.CHOICE


def _find_function_words(counts: Counter[str]) -> frozenset[str]:
    """The most frequent words, if they are short."""
    return frozenset(word for word, _ in counts.most_common(FUNCTION_WORDS) if len(word) <= LONGEST_FUNCTION_WORD)


def _rank(counts: Counter[str]) -> dict[str, int]:
    return {
        word: sum(place >= limit for limit in RANK_LIMITS)
        for place, (word, count) in enumerate(counts.most_common())
        if count > 1
    }


def _list_candidates(
    gold: GoldCounts, lessons: _Lessons, counts: Mapping[str, int]
) -> dict[str, tuple[Candidate, ...]]:
    def keep(right: str, wrong: str, family: Family, count: int) -> bool:
        known = all(not word.isalpha() or counts.get(word, 0) > 0 for word in wrong.split())
        return known and (count > 1 or " " not in right + wrong)

    rates: defaultdict[str, defaultdict[tuple[str, Family], float]] = defaultdict(lambda: defaultdict(float))
    for right, found in gold.invert(SMOOTHING, keep).items():
        for candidate in found:
            rates[right][candidate.wrong, candidate.family] += candidate.rate
    for right, wrong, rate in _vary_endings(lessons.endings, counts):
        rates[right][wrong, Family.WORD_FORM] += rate
    return {
        right: tuple(Candidate(wrong, family, rate) for (wrong, family), rate in sorted(found.items()))
        for right, found in sorted(rates.items())
    }


def _vary_endings(endings: Counter[tuple[str, str]], counts: Mapping[str, int]) -> Iterator[tuple[str, str, float]]:
    """Words with an ending that was confused with another one in other words, if the result is a word."""
    by_ending: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
    for (right, wrong), count in endings.items():
        if count >= LEAST_ENDINGS:
            by_ending[right].append((wrong, count))
    longest = max(map(len, by_ending), default=0)
    totals: Counter[str] = Counter()
    for word, count in counts.items():
        totals.update({word[len(word) - size :]: count for size in range(min(longest, len(word)) + 1)})
    for word in counts:
        for size in range(min(longest, len(word) - LEAST_STEM) + 1):
            ending = word[len(word) - size :]
            for wrong, count in by_ending.get(ending, ()):
                other = word[: len(word) - size] + wrong
                if other != word and other in counts:
                    yield word, other, PER * count / totals[ending]


def _share_out(families: Counter[Family]) -> dict[str, float]:
    """Shares of the families in the corrections, with small shares of errors that every language has."""
    seen = {family: count for family, count in families.items() if family not in SLIPS}
    left = 1.0 - sum(SLIPS.values())
    shares = {family: left * count / sum(seen.values()) for family, count in seen.items()} | SLIPS
    return {family.value: round(share, 4) for family, share in sorted(shares.items())}
