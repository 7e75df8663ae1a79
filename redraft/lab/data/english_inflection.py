"""Wrong forms of English words by morphology: number, agreement, verb form, degree and derivation.

Needs the lemminflect package. Used to build the error table, never in training.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from redraft.lab.data.table import Candidate, Family

# Classes of the word before: a singular determiner, q plural determiner, n other determiner, j adjective, m modal or
# do, t to, b be, h have, s he/she/it, p other pronoun, i preposition, c conjunction, ^ start of the sentence.
NOT_NOUN = "mtsp"
NOT_FINITE = "anqjmtbhi"

DERIVATIONS = (
    ("ence", "ent"), ("ance", "ant"), ("ency", "ent"), ("ity", ""), ("ility", "le"), ("ness", ""), ("iness", "y"),
    ("ation", "e"), ("tion", "te"), ("tion", "t"), ("ion", ""), ("sion", "d"), ("ment", ""), ("al", ""), ("ical", "ic"),
    ("ful", ""), ("ous", ""), ("able", ""), ("ive", "ion"), ("er", ""), ("ly", ""), ("ily", "y"), ("ally", ""),
    ("y", ""), ("th", ""), ("ist", "ism"), ("ic", "y"), ("ed", "ing"), ("less", "ful"),
)  # fmt: skip
"""Endings that learners exchange, where the result is a known word."""

STRAY_PREPOSITIONS = ("to", "of", "in", "for", "about")
IRREGULAR_MISTAKES = {
    "better": ("more better", "more good"),
    "best": ("most best", "most good"),
    "worse": ("more bad", "more worse"),
}


@dataclass
class Inflector:
    """Lists wrong forms of words. `counts` has the number of occurrences of each lower-case word in clean text."""

    counts: Mapping[str, int]
    uncountable: frozenset[str]
    skip: frozenset[str]
    _forms: dict[tuple[str, str], dict[str, tuple[str, ...]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        import lemminflect

        self._lemminflect = lemminflect

    def lemmas(self, word: str) -> dict[str, str]:
        """Lemma of the word for each part of speech that the counts make plausible."""
        found = {}
        for part, lemmas in self._lemminflect.getAllLemmas(word).items():
            if part in {"NOUN", "VERB", "ADJ", "ADV"} and self._is_plausible(lemmas[0], part):
                found[part] = lemmas[0]
        return found

    def _inflect(self, lemma: str, part: str) -> dict[str, tuple[str, ...]]:
        forms = self._forms.get((lemma, part))
        if forms is None:
            forms = self._forms[lemma, part] = self._lemminflect.getAllInflections(lemma, part)
        return forms

    def _is_plausible(self, lemma: str, part: str) -> bool:
        """Whether other forms of this reading occur; dictionaries list rare readings too (`to new`, `a the`)."""
        if part in {"ADJ", "ADV"}:
            return True
        forms = self._inflect(lemma, part)
        tags = ("NNS",) if part == "NOUN" else ("VBG", "VBD")
        if part == "NOUN" and lemma in self.uncountable:
            return True
        total = self.counts.get(lemma, 0) + 1
        used = sum(self.counts.get(form, 0) for tag in tags for form in forms.get(tag, ()) if form != lemma)
        return used > 0.02 * total

    def candidates(self, word: str) -> Iterator[Candidate]:
        if word in self.skip or len(word) < 2:
            return
        readings = self.lemmas(word)
        if "NOUN" in readings:
            yield from self._list_noun_errors(word, readings["NOUN"], both="VERB" in readings)
        if "VERB" in readings:
            yield from self._list_verb_errors(word, readings["VERB"])
        if "ADJ" in readings:
            yield from self._list_adjective_errors(word, readings["ADJ"], only=len(readings) == 1)
        yield from self._derive(word)

    def _list_noun_errors(self, word: str, lemma: str, both: bool) -> Iterator[Candidate]:
        number = Family.NOUN_NUMBER
        forms = self._inflect(lemma, "NOUN")
        plurals = [form for form in forms.get("NNS", ()) if form != lemma]
        regular = self._lemminflect.getAllInflectionsOOV(lemma, "NOUN").get("NNS", ("",))[0]
        weight = 0.5 if both else 1.0
        if word == lemma:
            if lemma in self.uncountable or not plurals:
                yield Candidate(regular, number, 2500 * weight, NOT_NOUN)
                yield Candidate(f"the {word}", Family.ARTICLE, 5000 * weight, "+ic^")
                yield Candidate(f"a {word}", Family.ARTICLE, 600 * weight, "+i^")
                return
            yield Candidate(plurals[0], number, 1500 * weight, "aq" + NOT_NOUN)
            yield Candidate(plurals[0], number, 2500 * weight, "+a")
            if regular != plurals[0]:
                yield Candidate(regular, number, 300 * weight, NOT_NOUN)
        elif word in plurals:
            yield Candidate(lemma, number, 2000 * weight, "q" + NOT_NOUN)
            yield Candidate(lemma, number, 4500 * weight, "+q")
            yield Candidate(f"the {word}", Family.ARTICLE, 5500 * weight, "+ic^")
            if regular != word:
                yield Candidate(regular, number, 700, NOT_NOUN)
                yield Candidate(word + "s", number, 500, NOT_NOUN)

    def _list_verb_errors(self, word: str, lemma: str) -> Iterator[Candidate]:
        form, agreement, tense = Family.VERB_FORM, Family.AGREEMENT, Family.VERB
        forms = {tag: values[0] for tag, values in self._inflect(lemma, "VERB").items()}
        base, third = forms.get("VB", lemma), forms.get("VBZ", "")
        past, gerund = forms.get("VBD", ""), forms.get("VBG", "")
        participle = forms.get("VBN", past)
        regular = self._lemminflect.getAllInflectionsOOV(lemma, "VERB").get("VBD", ("",))[0]
        if not (third and past and gerund):
            return
        for preposition in STRAY_PREPOSITIONS:
            yield Candidate(f"{word} {preposition}", Family.PREPOSITION, 80, "anqj")
        if word == base and word not in {past, participle}:
            yield Candidate(third, agreement, 2000, NOT_FINITE)
            yield Candidate(third, agreement, 1200, "+mt")
            for wrong, rate in ((gerund, 1500), (past, 1500), (f"to {base}", 400)):
                yield Candidate(wrong, form, rate, "+m")
            for wrong, rate in ((gerund, 1500), (past, 800)):
                yield Candidate(wrong, form, rate, "+t")
            yield Candidate(past, tense, 500, "+p")
            yield Candidate(f"are {base}", tense, 300, "+p")
            yield Candidate(gerund, form, 500, "+p")
        elif word == third:
            yield Candidate(base, agreement, 5000, NOT_FINITE)
            yield Candidate(gerund, form, 700, "+s")
            yield Candidate(past, tense, 400, NOT_FINITE)
            yield Candidate(f"is {third}", tense, 500, "+s")
        elif word == gerund:
            yield Candidate(base, form, 2500, "anqj")
            yield Candidate(base, form, 2500, "+bi")
            yield Candidate(f"to {base}", form, 1500, "anqjb^h")
            yield Candidate(participle, form, 700, "+b")
            yield Candidate(participle, form, 400, "+i")
        elif word in {past, participle}:
            if word == participle:
                yield Candidate(base, form, 2500, "+bh")
                yield Candidate(gerund, form, 1200, "+bh")
            if past != participle:
                swapped = participle if word == past else past
                yield Candidate(swapped, form, 2500, "anqj")
            if word == past:
                yield Candidate(base, tense, 1500, "anqjbht")
                yield Candidate(third, tense, 500, "+s")
                yield Candidate(f"was {past}", tense, 300, "+sp")
                yield Candidate(f"had {past}", tense, 300, "anqjbht")
                yield Candidate(f"was {base}", tense, 150, "+sp")
                yield Candidate(f"did {base}", tense, 100, "+sp")
            if regular not in {past, participle}:
                yield Candidate(regular, form, 700)

    def _list_adjective_errors(self, word: str, lemma: str, only: bool) -> Iterator[Candidate]:
        forms = self._inflect(lemma, "ADJ")
        shape = Family.WORD_FORM
        if word in IRREGULAR_MISTAKES:
            for wrong in IRREGULAR_MISTAKES[word]:
                yield Candidate(wrong, shape, 700)
        elif word in forms.get("JJR", ()):
            for wrong, rate in ((f"more {lemma}", 1800), (f"more {word}", 1200), (lemma, 1200)):
                yield Candidate(wrong, shape, rate)
        elif word in forms.get("JJS", ()):
            for wrong, rate in ((f"most {lemma}", 1500), (f"most {word}", 900), (forms.get("JJR", (lemma,))[0], 900)):
                yield Candidate(wrong, shape, rate)
        elif only and word == lemma and self.counts.get(word, 0) > 2000:
            yield Candidate(word + "s", Family.NOUN_NUMBER, 150, "+nqi")

    def _derive(self, word: str) -> Iterator[Candidate]:
        seen: set[str] = set()
        for first, second in DERIVATIONS:
            for old, new in ((first, second), (second, first)):
                # An empty ending fits any word: the stem must be longer, and the form frequent enough.
                if not word.endswith(old) or len(word) - len(old) < 4:
                    continue
                wrong = word[: len(word) - len(old)] + new
                if (
                    wrong == word
                    or wrong in seen
                    or self.counts.get(wrong, 0) < max(30, 0.01 * self.counts.get(word, 0))
                ):
                    continue
                seen.add(wrong)
                yield Candidate(wrong, Family.WORD_FORM, 1500 if {old, new} == {"ly", ""} else 500)
