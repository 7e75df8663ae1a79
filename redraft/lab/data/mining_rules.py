"""Rules that tell a correction from other edits of a sentence: style, names, numbers, links, code, other words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from redraft.edits.align import Change, align
from redraft.edits.classify import classify
from redraft.edits.edit import Kind
from redraft.edits.lexicon import (
    AUXILIARIES,
    CONJUNCTIONS,
    DAYS_AND_MONTHS,
    DETERMINERS,
    NEGATIONS,
    NUMBERS,
    POSSESSIVES,
    PREPOSITIONS,
    PRONOUNS,
)
from redraft.edits.subsequence import subsequence_ratio
from redraft.lab.data.changed_sentences import SentencePair
from redraft.lab.data.commit_message import Purpose
from redraft.lab.data.english_words import CONFUSIONS
from redraft.text.dialects import are_variants
from redraft.text.protect import Reason, find_protected
from redraft.text.words import word_set


class Sure(StrEnum):
    """How sure it is that an edit is a correction."""

    STRICT = "strict"
    LOOSE = "loose"


class Dropped(StrEnum):
    """Why an edit of a sentence is no pair."""

    REWRITTEN = "rewritten, or too many words changed"
    LENGTH = "too short or too long"
    LANGUAGE = "not English"
    FRAGMENT = "no whole sentence"
    NUMBER = "number or version"
    CODE = "code, link or identifier"
    NAME = "name of a product or person"
    STYLE = "style: dialect, contraction, punctuation, capitals, preferred words"
    CONTENT = "other words, which change the meaning"
    RENAMED = "the same edit many times"
    SWEEP = "many loose edits in one commit"
    REVERTED = "reverted or corrected again later"
    DUPLICATE = "duplicate"
    KIND = "other kinds than those asked for"
    LOOSE = "loose, left out by --strict"


@dataclass(frozen=True, slots=True)
class Verdict:
    """A pair that is kept: the kinds of its edits, how sure they are, and the edits in lower case."""

    kinds: tuple[Kind, ...]
    sure: Sure
    edits: tuple[tuple[str, str], ...]
    """Old and new words of those edits that may be a rename; obvious slips are not among them."""

    @property
    def replaced_words(self) -> tuple[tuple[str, str], ...]:
        """Those edits that replace one content word by another."""
        return tuple(
            (old, new) for old, new in self.edits if old.isalpha() and new.isalpha() and old not in _FUNCTION_WORDS
        )


FEWEST_WORDS = 4
MOST_WORDS = 70
MOST_EDITS = 4
MOST_CHANGED_WORDS = 4
"""Of one edit, on either side."""
_USUAL = 8
"""A spelling is the usual one if it is this many times as frequent in the repository as the other."""

_FUNCTION_WORDS = AUXILIARIES | DETERMINERS | PRONOUNS | PREPOSITIONS | CONJUNCTIONS | NEGATIONS
_ENGLISH = word_set(
    "the of and to is that for with this are you it be can from by or your will we was were not have has if an which "
    "these they when but their in there then how what use into its our more other so it's don't"
)
_GRAMMAR = frozenset(
    {Kind.AGREEMENT, Kind.VERB_FORM, Kind.NOUN_NUMBER, Kind.ARTICLE, Kind.PREPOSITION, Kind.PRONOUN, Kind.WORD_FORM}
)
_CAPITALIZED = DAYS_AND_MONTHS | word_set(
    "i i'm i've i'll i'd english french german spanish chinese japanese american british"
)
_SPANS = frozenset(Reason) - {Reason.CAPITALS, Reason.EMOJI, Reason.DICTIONARY}
_EXPANSIONS = (
    (r"\bwon't\b", "will not"), (r"\bcan't\b|\bcannot\b", "can not"), (r"n't\b", " not"), (r"'ll\b", " will"),
    (r"'re\b", " are"), (r"'ve\b", " have"), (r"'m\b", " am"), (r"\blet's\b", "let us"), (r"'s\b", " is"),
)  # fmt: skip
_STYLE_GROUPS = tuple(
    word_set(group)
    for group in (
        "which that who", "may might can could must should will would shall", "we you i they one he she it",
        "our your my the his her their its", "us you me them", "e.g. eg e.g for example such like", "i.e. ie i.e is",
        "utilize use utilise using via through by with", "click select choose press tap", "though although",
        "while whilst whereas when", "toward towards", "among amongst", "since because as", "if when whether",
        "large big", "this that these those the it", "each every all any", "and or", "but however", "upon on",
        "until till", "get obtain", "in inside within into", "it'll will", "email e-mail", "let allow enable",
        "ensure insure", "about on regarding", "above below following preceding", "do not", "id identifier",
    )
)  # fmt: skip
_FILLERS = word_set(
    "simply just please very easily basically really actually also now currently only easy quite so then and but that "
    "note however thus therefore will can all both either too well already still first again directly here there"
)


def judge(pair: SentencePair, purpose: Purpose, counts: Mapping[str, int]) -> Verdict | Dropped:
    """Whether an edit of a sentence is a correction. `counts` has the frequencies of words in the repository."""
    source, target = pair.old.text, pair.new.text
    words = target.split()
    if not FEWEST_WORDS <= len(words) <= MOST_WORDS or len(source.split()) > MOST_WORDS:
        return Dropped.LENGTH
    if not _is_english(words):
        return Dropped.LANGUAGE
    if not _is_whole(target) or "\t" in source + target:
        return Dropped.FRAGMENT
    changes = align(source, target)
    if not changes or len(changes) > MOST_EDITS or len(changes) > len(words) // 3:
        return Dropped.REWRITTEN
    kinds: list[Kind] = []
    strict = True
    edits: list[tuple[str, str]] = []
    for change in changes:
        edit = _Edit(pair, change, counts)
        found = edit.judge(purpose)
        if isinstance(found, Dropped):
            return found
        strict = strict and found is Sure.STRICT
        kinds.append(edit.kind)
        if not edit.is_slip or (edit.kind is Kind.SPELLING and purpose is not Purpose.CORRECTION):
            edits.append((edit.old, edit.new))
    ordered = tuple(kind for kind in Kind if kind in kinds)
    return Verdict(ordered, Sure.STRICT if strict else Sure.LOOSE, tuple(edits))


class _Edit:
    """One change of a sentence."""

    def __init__(self, pair: SentencePair, change: Change, counts: Mapping[str, int]) -> None:
        self._pair = pair
        self._change = change
        self._counts = counts
        self._written = change.source.of(pair.old.text), change.target.of(pair.new.text)
        self.old, self.new = (side.strip().lower().replace("’", "'") for side in self._written)
        self.kind = classify(pair.old.text, pair.new.text, change, is_word=lambda word: counts.get(word, 0) >= _USUAL)

    @property
    def is_slip(self) -> bool:
        """Whether the edit is wrong for everybody: a misspelling, a doubled word, `a` for `an`."""
        return self._is_doubled or self._is_misspelt or self._corrects_a_an

    def judge(self, purpose: Purpose) -> Sure | Dropped:
        return self._find_other_purpose(purpose) or self._judge_correction(purpose)

    def _find_other_purpose(self, purpose: Purpose) -> Dropped | None:
        """Why the edit is no correction, whatever its kind."""
        if max(len(self.old.split()), len(self.new.split())) > MOST_CHANGED_WORDS:
            return Dropped.REWRITTEN
        found = self._find_other_text()
        if found or self.is_slip or self.kind in (Kind.PUNCTUATION, Kind.SPACING, Kind.CASING):
            return found
        if self._is_name:
            return Dropped.NAME
        return Dropped.STYLE if self._is_style(purpose) else None

    def _judge_correction(self, purpose: Purpose) -> Sure | Dropped:
        sure = purpose is Purpose.CORRECTION
        if self._is_doubled:
            return Sure.LOOSE if self.new in ("that", "had") and not sure else Sure.STRICT
        if self.is_slip:
            return Sure.STRICT
        if self.kind in (Kind.PUNCTUATION, Kind.SPACING, Kind.CASING):
            return self._judge_shape(purpose)
        if self.kind is Kind.SPELLING:
            return Sure.LOOSE if sure and not self._is_less_usual else Dropped.CONTENT
        return self._judge_words(purpose)

    def _judge_words(self, purpose: Purpose) -> Sure | Dropped:
        """Grammar and confused words."""
        sure = purpose is Purpose.CORRECTION
        old, new = self.old.split(), self.new.split()
        only_function_words = all(word in _FUNCTION_WORDS for word in (*old, *new))
        related = self.kind in _GRAMMAR or (
            self.kind in (Kind.MISSING_WORD, Kind.REDUNDANCY, Kind.WORD_ORDER) and only_function_words
        )
        if {self.old, self.new} == {"a", "an"}:  # by sound, where the letters say the opposite
            return Sure.LOOSE if sure else Dropped.CONTENT
        if self._is_confused or related:
            if sure:
                return Sure.STRICT
            return Dropped.CONTENT if purpose is Purpose.STYLE or self._is_preference else Sure.LOOSE
        if not sure or self._is_less_usual:
            return Dropped.CONTENT
        similar = len(old) == len(new) == 1 and subsequence_ratio(self.old, self.new) >= 0.6
        return Sure.LOOSE if similar or only_function_words else Dropped.CONTENT

    def _judge_shape(self, purpose: Purpose) -> Sure | Dropped:
        """Edits of punctuation marks, spaces and capitals, most of which are style."""
        old, new = self.old, self.new
        sure = purpose is Purpose.CORRECTION
        if self.kind is Kind.CASING:
            upper = self._written[1].strip()
            right = new in _CAPITALIZED and upper[:1].isupper()
            opens = not self._change.target.start and upper[:1].isupper()
            return Sure.STRICT if right or (opens and sure) else Dropped.STYLE
        if self.kind is Kind.SPACING:
            if not re.fullmatch(r"[a-z]+( [a-z]+)?", old) or not re.fullmatch(r"[a-z]+( [a-z]+)?", new):
                return Dropped.STYLE
            unusual = " " in new and not self._counts.get(old) and all(map(self._counts.get, new.split()))
            return Sure.STRICT if unusual else (Sure.LOOSE if sure else Dropped.STYLE)
        if new.replace("'", "") == old and "'" in new:
            contracted = re.fullmatch(r"\w+n't|\w+'(?:re|ve|ll|m)|(?:let|that|there|here|what)'s", new)
            return Sure.STRICT if contracted or sure else Sure.LOOSE
        if old.replace("'", "") == new and "'" in old and new.isalpha():
            return Sure.STRICT if sure else Sure.LOOSE
        at_the_end = self._change.target.end == len(self._pair.new.text)
        is_mark = not re.search(r"[-–—\"“”‘'`*_/()\[\]]", old + new)
        return Sure.LOOSE if sure and is_mark and not at_the_end else Dropped.STYLE

    def _find_other_text(self) -> Dropped | None:
        """Edits of numbers, code, links and identifiers."""
        if any(character.isdigit() for character in self.old + self.new):
            return Dropped.NUMBER
        if any(side in NUMBERS or side in ("one", "first", "second") for side in (self.old, self.new)):
            return Dropped.NUMBER
        for sentence, span in ((self._pair.old, self._change.source), (self._pair.new, self._change.target)):
            if sentence.has_markup(span):
                return Dropped.CODE
            for protected in find_protected(sentence.text):
                if protected.reason in _SPANS and protected.span.overlaps(span):
                    return Dropped.CODE
        if re.search(r"[<>{}=_\\@#$|/]", self.old + self.new):
            return Dropped.CODE
        return None

    @property
    def _is_doubled(self) -> bool:
        """Whether a word that was written twice is now written once."""
        if self.kind is not Kind.REDUNDANCY:
            return False
        words = self.old.split()
        if self.new:
            return len(words) == 2 and words[0] == words[1] == self.new
        after = self._pair.old.text[self._change.source.end :].lower().split()
        before = self._pair.old.text[: self._change.source.start].lower().split()
        return len(words) == 1 and (words == after[:1] or words == before[-1:])

    @property
    def _corrects_a_an(self) -> bool:
        if {self.old, self.new} != {"a", "an"}:
            return False
        following = self._pair.new.text[self._change.target.end :].split()
        return bool(following) and (self.new == "an") == bool(
            re.match(r"[aeio]|u(?!ni|s|tili)|hour|hon|[FHLMNRSX][A-Z]", following[0], 0)
        )

    @property
    def _is_misspelt(self) -> bool:
        """Whether the old spelling is one that the repository hardly ever has, and the new one is usual there."""
        if not (self.old.isalpha() and self.new.isalpha() and len(self.old) > 1 and self.kind is Kind.SPELLING):
            return False
        old, new = self._counts.get(self.old, 0), self._counts.get(self.new, 0)
        near = abs(len(self.old) - len(self.new)) <= (2 if self.old[0] == self.new[0] else 1)
        return near and new >= 2 and new >= _USUAL * old

    @property
    def _is_confused(self) -> bool:
        """Whether the old word is often mistaken for the new one: `their` for `there`."""
        return bool(self.old) and self.old in CONFUSIONS.get(self.new, "").split("|")

    @property
    def _is_preference(self) -> bool:
        """Whether the edit is more often one of wording than of grammar: a phrase, a pronoun, `all of` for `all`."""
        if max(len(self.old.split()), len(self.new.split())) > 1:
            return True
        if self.kind is Kind.PRONOUN and not self._is_confused:
            return not {self.old, self.new} & POSSESSIVES
        return (
            self.kind in (Kind.PREPOSITION, Kind.REDUNDANCY) and self.old in ("of", "out", "up", "to") and not self.new
        )

    @property
    def _is_less_usual(self) -> bool:
        return self._counts.get(self.new, 0) < self._counts.get(self.old, 0)

    @property
    def _is_name(self) -> bool:
        """Whether a word with a capital is among the changed ones, other than a misspelt one."""
        at_start = not self._change.source.start, not self._change.target.start
        for written, opens in zip(self._written, at_start, strict=True):
            words = written.split()
            if any(word[:1].isupper() and word not in ("I", "I'm") for word in words[opens:]):
                return not self._is_misspelt
            if any(any(map(str.isupper, word[1:])) for word in words):
                return True
        return False

    def _is_style(self, purpose: Purpose) -> bool:
        old, new = self.old, self.new
        if are_variants(old, new) or expand_contractions(old) == expand_contractions(new):
            return True
        changed = frozenset(old.split()) ^ frozenset(new.split())
        if not old or not new:
            return bool(changed) and changed <= _FILLERS and purpose is not Purpose.CORRECTION
        if self._is_confused and purpose is Purpose.CORRECTION:
            return False
        # "will show" for "shows" and "we've seen" for "we saw" are preferences of manuals.
        full = frozenset(expand_contractions(old).split()) ^ frozenset(expand_contractions(new).split())
        if full & {"will", "have", "has"} and self.kind is Kind.VERB_FORM and purpose is not Purpose.CORRECTION:
            return True
        return any(changed <= group for group in _STYLE_GROUPS) and not (
            purpose is Purpose.CORRECTION and self.kind is Kind.AGREEMENT
        )


def expand_contractions(text: str) -> str:
    """`don't` as `do not`, and so on, in text in lower case."""
    for pattern, full in _EXPANSIONS:
        text = re.sub(pattern, full, text)
    return text


def _is_english(words: list[str]) -> bool:
    known = sum(word.strip(".,;:()\"'").lower() in _ENGLISH for word in words)
    return known >= max(1, len(words) / 7)


def _is_whole(text: str) -> bool:
    """Whether a text may be a whole sentence: a capital or a quotation mark first, brackets and quotes closed."""
    first = text.lstrip("\"'“‘(*_")[:1]
    if "](" in text:  # a link in a format that has none
        return False
    balanced = text.count("(") == text.count(")") and text.count('"') % 2 == 0
    return first.isupper() and balanced and text.rstrip("\"'”’)*_")[-1:] in (*".!?:", "…")
