"""Builds the English error table from lexicons, corrections and clean text."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher

from redraft.edits.m2 import M2Sentence
from redraft.lab.data import english_words as english
from redraft.lab.data.english_drills import list_drills
from redraft.lab.data.english_inflection import Inflector
from redraft.lab.data.gold import PER, GoldCounts, GoldEdit, GoldSentence, similarity
from redraft.lab.data.noise import Noiser
from redraft.lab.data.table import Candidate, ErrorTable, Family

VOCABULARY = 45_000
LARGEST_RATE = 0.12 * PER
"""Largest rate of all families but punctuation: a phrase that was seen once, and wrong, is not always wrong."""
SMOOTHING = {1: 30.0, 2: 15.0, 3: 10.0}
ANCHORED_LEFT = frozenset({Family.PREPOSITION})
CONFUSION_RATES = (100, 500, 1500, 1500)
LISTED_CONFUSION_RATES = (10, 300, 1200, 1200)
"""By the rank of the right word: the commonest words are mistaken less often per occurrence."""
INSERTION_BOOST = 1.6
"""Superfluous words are counted by their neighbours, and only neighbours seen twice count: this makes up for it."""
LARGEST_CHOICE_RATE = 0.005 * PER
LEAST_LIKENESS = 0.55
LEARNER_WEIGHT = 3
"""Weight of a misspelling in a learner's text; those of lists weigh 0.5 to 2."""
RANK_LIMITS = (100, 1_000, 10_000)
LEAST_INSERTIONS = 5
RATES = {
    "mean": 0.17,
    "two_slips": 0.25,
    "chat": 0.03,
    "fragments": 0.04,
    "strange": 0.03,
    "masked": 0.04,
    "drills": 0.07,
}
"""Noise rates of the table. The rarest words of confusion sets fall short of their share: `drills` makes up for it."""
SHARES = {
    Family.SPELLING: 0.41, Family.PUNCTUATION: 0.115, Family.ARTICLE: 0.085, Family.PREPOSITION: 0.065,
    Family.VERB: 0.05, Family.VERB_FORM: 0.055, Family.NOUN_NUMBER: 0.05, Family.AGREEMENT: 0.03,
    Family.WORD_FORM: 0.02, Family.CHOICE: 0.04, Family.FUNCTION: 0.02, Family.PRONOUN: 0.02, Family.CASING: 0.015,
    Family.SPACING: 0.025, Family.ORDER: 0.02, Family.REPEAT: 0.006, Family.DROP: 0.004, Family.STRETCH: 0.01,
    Family.INSERTION: 0.06,
}  # fmt: skip

_FAMILIES = {
    "DET": Family.ARTICLE, "PREP": Family.PREPOSITION, "PART": Family.PREPOSITION, "PRON": Family.PRONOUN,
    "PUNCT": Family.PUNCTUATION, "NOUN:POSS": Family.PUNCTUATION, "VERB:SVA": Family.AGREEMENT,
    "VERB:FORM": Family.VERB_FORM, "VERB:INFL": Family.VERB_FORM, "VERB:TENSE": Family.VERB, "VERB": Family.VERB,
    "NOUN:NUM": Family.NOUN_NUMBER, "NOUN:INFL": Family.NOUN_NUMBER, "MORPH": Family.WORD_FORM,
    "ADJ:FORM": Family.WORD_FORM, "NOUN": Family.CHOICE, "ADJ": Family.CHOICE, "ADV": Family.FUNCTION,
    "OTHER": Family.CHOICE, "CONJ": Family.FUNCTION, "CONTR": Family.FUNCTION, "SPELL": Family.SPELLING,
    "ORTH": Family.SPACING, "WO": Family.ORDER,
}  # fmt: skip
"""ERRANT's types without their first letter; UNK, an error that the annotator could not correct, is left out."""


@dataclass(frozen=True)
class EnglishSources:
    """Input of the table. Words are lower-case; a misspelling is (right, wrong, weight)."""

    counts: Mapping[str, int]
    gold: Iterable[GoldSentence]
    misspellings: Iterable[tuple[str, str, float]]
    confusions: Iterable[tuple[str, str]]
    dialects: Container[tuple[str, str]]
    uncountable: frozenset[str]
    sample: Iterable[str]
    """Clean sentences on which the density of each family is measured."""
    written: Iterable[tuple[str, Candidate]] = ()
    """Right words and wrong forms that were written down by hand."""
    shares: Mapping[Family, float] = field(default_factory=lambda: SHARES)
    """Share of each family in all errors."""


def build(sources: EnglishSources) -> ErrorTable:
    ranks = rank(sources.counts)
    inflector = Inflector(sources.counts, sources.uncountable, english.FUNCTION_WORDS)
    candidates: dict[str, dict[tuple[str, Family, str], float]] = defaultdict(lambda: defaultdict(float))
    gold = GoldCounts()
    misspellings: dict[tuple[str, str], float] = defaultdict(float)
    insertions: Counter[str] = Counter()
    for sentence in sources.gold:
        for edit in sentence.edits:
            if edit.start == edit.end and len(edit.wrong) == 1 and edit.wrong[0].lower() in english.INSERTABLE:
                insertions[edit.wrong[0].lower()] += 1
            if edit.family is Family.SPELLING and edit.end - edit.start == 1 and len(edit.wrong) == 1:
                misspellings[sentence.tokens[edit.start].lower(), edit.wrong[0].lower()] += LEARNER_WEIGHT
        gold.add(sentence, ANCHORED_LEFT)
    for right, found in gold.invert(SMOOTHING, _Keeper(ranks).keep).items():
        for candidate in found:
            boost = INSERTION_BOOST if _is_insertion(right, candidate.wrong) else 1.0
            candidates[right][candidate.wrong, candidate.family, ""] += boost * candidate.rate
    for word in ranks:
        for candidate in inflector.candidates(word):
            candidates[word][candidate.wrong, candidate.family, candidate.context] += candidate.rate
    for word, candidate in sources.written:
        candidates[word][candidate.wrong, candidate.family, candidate.context] += candidate.rate
    for confusion in _list_confusions(sources.confusions, ranks):
        candidates[confusion.right][confusion.wrong, Family.SPELLING, ""] += confusion.rate
    for right, wrong, weight in sources.misspellings:
        misspellings[right, wrong] += weight
    sample = list(sources.sample)
    table = ErrorTable(
        language="en",
        candidates={key: _settle(key, found, sources.dialects) for key, found in candidates.items()},
        misspellings=_list_misspellings(misspellings, ranks, sources.dialects),
        ranks=ranks,
        contexts={**_find_adjectives(ranks, inflector), **english.CONTEXTS},
        function_words=english.FUNCTION_WORDS,
        splits=dict(_find_splits(ranks)),
        spelling_rules=english.SPELLING_RULES,
        keyboard=english.neighbours(),
        insertions={word: float(count) for word, count in sorted(insertions.items()) if count >= LEAST_INSERTIONS},
        drills=list_drills(sample),
        rates=RATES,
        shares={family.value: share for family, share in sources.shares.items()},
    )
    return replace(table, density=Noiser(table).measure(sample))


def rank(counts: Mapping[str, int]) -> dict[str, int]:
    """The commonest words and the order of magnitude of the frequency rank of each."""
    words = sorted(
        (word for word in counts if word.isalpha() and word.islower()), key=lambda word: (-counts[word], word)
    )
    return {word: sum(place >= limit for limit in RANK_LIMITS) for place, word in enumerate(words[:VOCABULARY])}


def invert_m2(sentence: M2Sentence) -> GoldSentence:
    """The first annotator's edits, inverted; casing is left to the noise itself."""
    tokens: list[str] = []
    edits: list[GoldEdit] = []
    position = 0
    for edit in sorted(sentence.annotations.get(0, ()), key=lambda edit: (edit.start, edit.end)):
        if edit.start < position:
            continue
        tokens += sentence.tokens[position : edit.start]
        right = edit.corrections[0].split()
        wrong = sentence.tokens[edit.start : edit.end]
        position = edit.end
        family = _FAMILIES.get(edit.kind[2:])
        if family in {Family.CHOICE, Family.FUNCTION, Family.PRONOUN} and _is_slip(" ".join(right), " ".join(wrong)):
            family = Family.SPELLING
        if family and " ".join(right).lower() != " ".join(wrong).lower():
            edits.append(GoldEdit(len(tokens), len(tokens) + len(right), wrong, family))
        tokens += right
    return GoldSentence((*tokens, *sentence.tokens[position:]), tuple(edits))


def invert_pair(source: str, target: str, known: Mapping[str, int]) -> GoldSentence:
    """The edits between two tokenized sentences, inverted; their families follow from the words."""
    wrong, right = source.split(), target.split()
    matcher = SequenceMatcher(None, [word.lower() for word in right], [word.lower() for word in wrong], autojunk=False)
    edits = []
    for tag, start, end, wrong_start, wrong_end in matcher.get_opcodes():
        if tag == "equal":
            continue
        spans = [(start, end, wrong_start, wrong_end)]
        if end - start == wrong_end - wrong_start:
            spans = [(start + k, start + k + 1, wrong_start + k, wrong_start + k + 1) for k in range(end - start)]
        for first, last, wrong_first, wrong_last in spans:
            before, after = tuple(wrong[wrong_first:wrong_last]), right[first:last]
            edits.append(GoldEdit(first, last, before, judge(" ".join(after).lower(), " ".join(before).lower(), known)))
    return GoldSentence(tuple(right), tuple(edits))


_CLOSED = (
    (english.PUNCTUATION, Family.PUNCTUATION),
    (english.DETERMINERS, Family.ARTICLE),
    (english.PREPOSITIONS, Family.PREPOSITION),
    (english.PRONOUNS, Family.PRONOUN),
    (english.AUXILIARIES, Family.VERB),
)


def judge(right: str, wrong: str, known: Mapping[str, int]) -> Family:
    """Family of an error, from the words alone."""
    words = {*right.split(), *wrong.split()}
    for members, family in _CLOSED:
        if words <= members:
            return family
    if right.replace(" ", "") == wrong.replace(" ", ""):
        return Family.SPACING
    if sorted(right.split()) == sorted(wrong.split()):
        return Family.ORDER
    if right and wrong and " " not in right + wrong:
        return _judge_word(right, wrong, known)
    return Family.FUNCTION if words <= english.FUNCTION_WORDS else Family.CHOICE


def _judge_word(right: str, wrong: str, known: Mapping[str, int]) -> Family:
    likeness = similarity(right, wrong)
    if _is_slip(right, wrong) or (wrong not in known and likeness > LEAST_LIKENESS):
        return Family.SPELLING
    if {right, wrong} <= english.FUNCTION_WORDS:
        return Family.FUNCTION
    if right + "s" == wrong or wrong + "s" == right:
        return Family.NOUN_NUMBER
    if likeness > 0.6 and right[:3] == wrong[:3]:
        return Family.VERB_FORM if right.endswith(("ing", "ed")) or wrong.endswith(("ing", "ed")) else Family.WORD_FORM
    return Family.CHOICE


def _is_insertion(right: str, wrong: str) -> bool:
    return wrong.startswith(right + " ") or wrong.endswith(" " + right)


def _is_slip(right: str, wrong: str) -> bool:
    """Whether a word was written for one of another class that looks like it: `the` for `they`."""
    if (
        " " in right + wrong
        or not right.isalpha()
        or not wrong.isalpha()
        or not {right, wrong} & english.FUNCTION_WORDS
    ):
        return False
    lists = (english.DETERMINERS, english.PREPOSITIONS, english.PRONOUNS, english.AUXILIARIES, english.ADVERBS)
    alike = any(right in members and wrong in members for members in lists)
    return not alike and similarity(right, wrong) > 0.45


@dataclass(frozen=True)
class _Keeper:
    """Decides which of the errors in annotated text are put into the table."""

    known: Mapping[str, int]

    def keep(self, right: str, wrong: str, family: Family, count: int) -> bool:
        rights, wrongs = right.split(), wrong.split()
        if not all(map(self._is_usable, (*rights, *wrongs))) or _is_unwritable(rights, wrongs):
            return False
        if family is Family.SPELLING:
            return len(rights) == 1
        if family is Family.PUNCTUATION:
            return count > 1 or len(rights) == 1
        small = english.FUNCTION_WORDS | english.PUNCTUATION
        added, gone = set(wrongs) - set(rights) - small, set(rights) - set(wrongs) - small
        if not added:
            # A missing content word cannot be guessed.
            return count > 1 and not gone
        if family in _LOOSE:
            return count > 3 or (count > 1 and similarity(right, wrong) > 0.7)
        return count > 1 or len(rights) == 1

    def _is_usable(self, word: str) -> bool:
        return word in self.known or word in english.FUNCTION_WORDS or word in english.PUNCTUATION


_LOOSE = {Family.CHOICE, Family.VERB, Family.FUNCTION, Family.PRONOUN, Family.ORDER, Family.SPACING}
"""Families in which annotators often differ: their errors must be seen more often."""


def _is_unwritable(rights: list[str], wrongs: list[str]) -> bool:
    """Whether the wrong tokens cannot be written alone: a clitic without its word, half of a hyphenated word."""
    stray_clitic = bool(wrongs) and wrongs[0] in english.CLITICS and rights[0] not in english.CLITICS
    return stray_clitic or (len(rights) > 1 and "-" in {rights[0], rights[-1]})


def _settle(
    key: str, found: Mapping[tuple[str, Family, str], float], dialects: Container[tuple[str, str]]
) -> tuple[Candidate, ...]:
    """Candidates of a word, without the spellings of other dialects, rates limited."""
    return tuple(
        Candidate(wrong, family, _bound(key, wrong, family, rate), context)
        for (wrong, family, context), rate in sorted(found.items())
        if wrong != key and (key, wrong) not in dialects
    )


def _bound(key: str, wrong: str, family: Family, rate: float) -> float:
    if family is not Family.PUNCTUATION:
        return min(rate, LARGEST_CHOICE_RATE if family is Family.CHOICE else LARGEST_RATE)
    # Most full stops that were corrected were between two sentences; in clean text they are at the end.
    return rate * 0.1 if key == "." and wrong else rate


@dataclass(frozen=True, slots=True)
class _Confusion:
    right: str
    wrong: str
    rate: float


def _list_confusions(confusions: Iterable[tuple[str, str]], ranks: Mapping[str, int]) -> Iterator[_Confusion]:
    for right, wrongs in english.CONFUSIONS.items():
        for wrong in wrongs.split("|"):
            yield _Confusion(right, wrong, CONFUSION_RATES[ranks.get(right, 2)])
    for right, wrong in confusions:
        # A rare word is hardly ever written by mistake for another.
        if right in ranks and ranks.get(wrong, 9) <= 2:
            yield _Confusion(right, wrong, LISTED_CONFUSION_RATES[ranks[right]])


def _list_misspellings(
    found: Mapping[tuple[str, str], float], ranks: Mapping[str, int], dialects: Container[tuple[str, str]]
) -> dict[str, tuple[tuple[str, float], ...]]:
    listed: dict[str, list[tuple[str, float]]] = defaultdict(list)
    for (right, wrong), weight in sorted(found.items()):
        fits = right in ranks and wrong not in ranks and wrong.isalpha() and (right, wrong) not in dialects
        if fits and similarity(right, wrong) > LEAST_LIKENESS:
            listed[right].append((wrong, weight))
    return {word: tuple(forms) for word, forms in listed.items()}


def _find_adjectives(ranks: Mapping[str, int], inflector: Inflector) -> dict[str, str]:
    return {word: "j" for word in ranks if set(inflector.lemmas(word)) == {"ADJ"}}


def _find_splits(ranks: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    """Words that are split by mistake: both halves are common words of three letters or more."""
    common = {word for word, order in ranks.items() if order <= 2 and len(word) >= 3}
    for word in ranks:
        for cut in range(3, len(word) - 2):
            if word[:cut] in common and word[cut:] in common:
                yield word, f"{word[:cut]} {word[cut:]}"
                break
