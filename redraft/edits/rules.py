"""Rules for errors that are certain without a model, in English: contractions, "a" or "an", repeated words, verbs that
do not agree with a pronoun, words that always have a capital, “thanks for you help”, and the patterns of
`edits/pattern_rules.py` and `edits/phrase_rules.py`.

A rule is kept only if it reports at most one false alarm in 20,000 sentences of correct text; the figures are in
docs/checking.md. There is no rule for a space before a full stop or comma with another space behind it: tokenized text
("He goes .") has them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from operator import eq

from redraft.edits import agreement
from redraft.edits.edit import Edit, Kind
from redraft.edits.explain import explain
from redraft.edits.lexicon import (
    AUXILIARIES,
    COMMON_VERBS,
    CONJUNCTIONS,
    DAYS,
    DAYS_AND_MONTHS,
    DETERMINERS,
    MIDDLE_ADVERBS,
    PREPOSITIONS,
    PRONOUNS,
    SUBJECT_PRONOUNS,
)
from redraft.edits.pattern import PatternMatch, find_all, written_like
from redraft.edits.pattern_rules import PATTERN_RULES, find_small_start
from redraft.edits.phrase_rules import PHRASE_RULES
from redraft.text.span import Span
from redraft.text.words import word_set


@dataclass(frozen=True, slots=True)
class RuleMatch:
    """An edit that a rule suggests, and the span of the words it was decided by."""

    edit: Edit
    evidence: Span


@dataclass(frozen=True, slots=True)
class _Word:
    """A word of the sentence with its neighbours; `before` and `after` are in lower case, empty at a mark."""

    text: str
    span: Span
    before: str
    after: str
    opens: bool
    """Whether a sentence or quotation begins with it."""
    evidence: Span
    sentence: str


# A word is not part of a name, number, path or identifier: no such character is next to it.
_WORD = re.compile(r"(?<![\w'’.@#$%&*+=/\\<>~^_-])[A-Za-z]+(?:['’][A-Za-z]+)?(?![\w'’@#$%&*+=/\\<>~^_-]|\.\w)")
_LETTERS = re.compile(r"[^\W\d_]+")
_QUOTES = "\"'“”‘’`«»"
_MAKES_SENTENCE = re.compile(r"(?:^|[.!?:;]\s|[\"“‘(]|[-–—]\s?)\s*$")


def find_errors(sentence: str, follows_sentence: bool = False) -> list[RuleMatch]:
    """All matches in one sentence, in order and without overlap. None if the sentence does not look English.

    `follows_sentence` says whether another sentence ends before it on the same line.
    """
    words = [word.lower() for word in _LETTERS.findall(sentence)]
    patterns = find_all(_PATTERN_RULES, sentence, words)
    if follows_sentence and (start := find_small_start(sentence)):
        patterns.append(start)
    may_match = _may_match(words)
    if not (patterns or may_match) or not _looks_english(words):
        return []
    matches = [_match_pattern(sentence, pattern) for pattern in patterns]
    if may_match:
        matches += filter(None, map(_match_word, _find_candidates(sentence)))
    found: list[RuleMatch] = []
    for match in sorted(matches, key=lambda match: match.edit.span):
        if not found or found[-1].edit.span.end <= match.edit.span.start:
            found.append(match)
    return found


def find_new_errors(sentence: str, corrected: str) -> list[Span]:
    """The places of a corrected sentence where a rule finds an error that the sentence did not have."""
    found = find_errors(corrected)
    known = {match.evidence.of(sentence) for match in find_errors(sentence)} if found else set()
    return [match.edit.span for match in found if match.evidence.of(corrected) not in known]


def _match_pattern(sentence: str, pattern: PatternMatch) -> RuleMatch:
    return RuleMatch(_explained(sentence, pattern.span, pattern.replacement, pattern.kind), pattern.evidence)


def _match_word(word: _Word) -> RuleMatch | None:
    return next((match for rule in _RULES if (match := rule.match(word))), None)


def _explained(sentence: str, span: Span, replacement: str, kind: Kind) -> Edit:
    old = span.of(sentence)
    reason = explain(kind, old, replacement, "en", sentence[: span.start], sentence[span.end :])
    return Edit(span, old, replacement, kind, 1.0, reason)


def _may_match(words: Sequence[str]) -> bool:
    """Whether any rule could match a sentence of these words in lower case; most sentences have none."""
    return (
        not _RULE_WORDS.isdisjoint(words)
        or any(map(eq, words, islice(words, 1, None)))
        or not _RULE_PAIRS.isdisjoint(zip(words, islice(words, 1, None), strict=False))
    )


def _find_candidates(sentence: str) -> Iterator[_Word]:
    """The words that a rule may match: words of the rules, repeated words, and words of its pairs."""
    matches = list(_WORD.finditer(sentence))
    folded = ["", *(match.group().lower().replace("’", "'") for match in matches), ""]
    for index, match in enumerate(matches):
        before, own, behind = folded[index : index + 3]
        is_pair = (before, own) in _RULE_PAIRS or (own, behind) in _RULE_PAIRS
        if own not in _RULE_WORDS and own != before and not is_pair:
            continue
        previous = matches[index - 1] if index else None
        following = matches[index + 1] if index + 1 < len(matches) else None
        joined = previous is not None and sentence[previous.end() : match.start()].isspace()
        joins = following is not None and sentence[match.end() : following.start()].isspace()
        start, end = match.span()
        if (
            sentence[start - 1 : start] in _QUOTES
            and sentence[end : end + 1] in _QUOTES
            and start
            and end < len(sentence)
        ):
            continue  # a word that is quoted alone is mentioned, not used
        after = following.group() if following and joins else ""
        evidence = Span(
            previous.start() if previous and joined else start, following.end() if following and joins else end
        )
        opens = _MAKES_SENTENCE.search(sentence[max(0, start - 12) : start]) is not None
        yield _Word(
            match.group(),
            Span(start, end),
            before if joined else "",
            after.replace("’", "'"),
            opens,
            evidence,
            sentence,
        )


# Words that are frequent in English and rare in other languages.
_ENGLISH = word_set(
    "the and you your my of is are was were have has had with this that these those they them their it its he she his "
    "her we our what when where who why how not for from but because if would could should can will do did does know "
    "think want like go going get people time very really about there here to be been some any more i"
)
_FOREIGN = word_set(
    "le la les des du et est une que qui pas dans pour sur au aux ce ces je tu nous vous ils der die das und ist ein "
    "nicht eine zu den dem mit auf von el los las por con una del se su il lo gli che di per non sono ik het een en "
    "van de niet og er jeg det som på och att är não da os um uma com em"
)


def _looks_english(words: Sequence[str]) -> bool:
    return sum(map(_ENGLISH.__contains__, words)) > sum(map(_FOREIGN.__contains__, words))


CONTRACTIONS = {
    contraction.replace("'", ""): contraction
    for contraction in word_set(
        "don't didn't doesn't isn't aren't wasn't weren't hasn't haven't hadn't couldn't shouldn't wouldn't mustn't "
        "needn't mightn't ain't shan't you're they're that's what's where's how's there's here's he's she's who's "
        "you've they've we've could've should've would've might've must've you'll they'll it'll that'll there'll "
        "you'd they'd o'clock"
    )
} | {"im": "I'm", "ive": "I've"}
"""By the same word without its apostrophe."""
_BASE_VERBS = COMMON_VERBS | word_set("be do have say see make take come look give use work call even really")
_AFTER_IM = word_set(
    "a an the not so very too really just also always still sure sorry afraid glad happy going trying looking writing "
    "from in on at with here there tired sick fine ok okay good bad about only never now interested excited able ready "
    "working living studying thinking doing getting having learning waiting"
)
_AFTER_IVE = word_set(
    "been got had seen done gone never always just already made heard found read lived learned learnt tried known met "
    "worked decided lost taken bought had used spent wanted thought"
)
_AFTER_ITS = word_set("a an the not very been really too so just also going raining okay")


def _complete_contraction(word: _Word) -> str | None:
    folded = word.text.lower()
    if not (word.text.islower() or (word.text.istitle() and (word.opens or folded in {"im", "ive"}))):
        return None
    if folded in _CONDITIONAL:
        written = _CONDITIONAL[folded](word)
    else:
        written = CONTRACTIONS.get(folded) if _fits(word, folded) else None
    return written and written_like(word.text, written)


def _fits(word: _Word, folded: str) -> bool:
    after = word.after.lower()
    match folded:
        case "im":
            return after in _AFTER_IM or (after.endswith("ing") and len(after) > 4)
        case "ive":
            return after in _AFTER_IVE
        case "hes" | "whos":
            return after in _AFTER_IM | _AFTER_IVE | {"gonna"} or after.endswith("ing")
        case "hows":  # "the hows and whys"
            return after in {"it", "your", "everything", "everyone", "life", "the"}
        case "dont":  # a word of French
            return word.before in SUBJECT_PRONOUNS or after in _BASE_VERBS | MIDDLE_ADVERBS | {"you", "i", "we", "they"}
        case _:
            return True


_PERSONS = word_set("i you he she it we they")


def _cant(word: _Word) -> str | None:
    certain = word.before in _PERSONS or (word.after in _BASE_VERBS and word.before not in DETERMINERS | PREPOSITIONS)
    return "can't" if certain and word.after else None


def _wont(word: _Word) -> str | None:
    return "won't" if word.before in _PERSONS | {"this", "that"} and word.after in _BASE_VERBS else None


def _lets(word: _Word) -> str | None:
    return "let's" if word.opens and word.after in _AFTER_LETS else None


_AFTER_LETS = word_set("go start see begin say take talk look try get make have not do play eat meet")


def _its(word: _Word) -> str | None:
    if word.after == "time":  # "Its time complexity is high"
        return "it's" if word.before in _BEFORE_ITS else None
    return "it's" if word.after in _AFTER_ITS and (word.opens or word.before in _BEFORE_ITS) else None


_BEFORE_ITS = word_set("think because guess know hope believe")
_CONDITIONAL: dict[str, Callable[[_Word], str | None]] = {"cant": _cant, "wont": _wont, "lets": _lets, "its": _its}


_VOWEL_SOUND = re.compile(
    r"(?:[aio]|e(?!u|w))[a-z]{2,}|u(?:n(?!i|anim|ary|esco)[a-z]|p[a-z]|gl|ltim|mb|rg|rban|sher|tter)[a-z]*"
    r"|hours?|hourly|honest|honestly|honest|honorable|honourable|heirs?|heiress"
)
_CONSONANT_SOUND = re.compile(
    # a pronounceable beginning: "an svg" and "an stdlib" are read letter by letter
    r"(?:[bcdfgjklmnpqrstvwyz][aeiouy]|[bcfgps]l[aeiouy]|[bcdfgptw]r[aeiouy]"
    r"|(?:[cpstw]h|[kg]n|ps|qu|[tds]w|s[ckmnpt])[hlr]?[aeiouy])[a-z]+|universit(?:y|ies)|universal|universe|unit|units|union|unions|uniform|unique"
    r"|users?|useful|useless|usual|usually|used|utility|European|euro|euros|one|once"
    r"|house|home|hand|head|huge|high|hard|happy|half|holiday|hospital|husband"
)
_NOT_VOWEL_SOUND = re.compile(r"one.*|once|oui.*|ouija|iou.*")
_SPELT_WITH_VOWEL = word_set(
    "FBI HTML HTTP HTTPS HIV HR HD HDMI LCD MRI MP MBA MSc NGO NHS NPC NBA NFL RSS SMS SSH SSL SUV XML SDK SVG RPG "
    "LGBT NDA SOS STD LP FM"
)
_SPELT_WITH_CONSONANT = word_set(
    "URL UN UK US USA USB UFO UI UX EU CEO CD DVD PC PDF TV GP GPS BBC PhD DNA CPU GPU UUID UDP CV BA BSc PR VPN WC"
)
_AFTER_LETTER_A = (
    AUXILIARIES
    | CONJUNCTIONS
    | PREPOSITIONS
    | PRONOUNS
    | DETERMINERS
    | word_set("also always even ever else instead only along ago again away anymore isn't aren't equals element tag")
)


_BEFORE_LETTER_A = DETERMINERS | word_set(
    "appendix case chlorophyll class column figure grade group hepatitis letter option part plan point section step "
    "type variable vitamin"
)
_ARTICLES = frozenset({"a", "an"})


def _choose_article(word: _Word) -> str | None:
    folded = word.text.lower()
    if folded not in _ARTICLES or not word.after or (word.text != folded and not (word.text.istitle() and word.opens)):
        return None
    if word.before in _BEFORE_LETTER_A:  # "the a element": here "a" is a name
        return None
    following = word.after
    if folded == "a":
        vowel = _VOWEL_SOUND.fullmatch(following) and not _NOT_VOWEL_SOUND.fullmatch(following)
        plural = following.endswith("s") and not following.endswith(("ss", "us"))  # nor a verb: "vitamin a acts"
        wrong = (vowel and not plural and following not in _AFTER_LETTER_A) or following in _SPELT_WITH_VOWEL
        return word.text + "n" if wrong else None
    consonant = _CONSONANT_SOUND.fullmatch(following)
    wrong = (consonant and following not in _AFTER_LETTER_A - {"one"}) or following in _SPELT_WITH_CONSONANT
    return word.text[0] if wrong else None


_REPEATED = word_set(
    "the a an and or but of my your our their its this these those some any other more also i we they she be been will "
    "would could should might must which when while if because than"
)
_MAY_END_CLAUSE = word_set("is was are have has for with from about at by to after before between against within")
"""Words that end one phrase and begin the next in "what it is is a cat", "the man I talk to to learn English"."""
_OPENS_CLAUSE = re.compile(r"\b(?:what|who|where|how|why|when|which|that|as|than|all)\b", re.IGNORECASE)


def _drop_repeated(word: _Word) -> str | None:
    folded = word.text.lower()
    if folded != word.before or not word.after or word.sentence[word.span.end] != " " or word.text not in {folded, "I"}:
        return None
    earlier, first = word.sentence[: word.evidence.start], word.sentence[word.evidence.start : word.span.start].rstrip()
    if first.isupper() and len(first) > 1:  # "AND and OR gates"
        return None
    if folded in _MAY_END_CLAUSE:
        return None if not earlier.strip() or _OPENS_CLAUSE.search(earlier) else ""
    return "" if folded in _REPEATED else None


def _agree_with_pronoun_before(word: _Word) -> str | None:
    if not word.before or not word.text.islower():
        return None
    earlier, pronoun = word.sentence[: word.evidence.start], word.sentence[word.evidence.start : word.span.start]
    corrected = agreement.correct_agreement(earlier, pronoun.strip(), word.text.replace("’", "'"))
    return corrected and written_like(word.text, corrected)


def _agree_with_pronoun_behind(word: _Word) -> str | None:
    if not word.text[1:].islower() or not word.sentence.rstrip().endswith("?"):
        return None
    verb = word.text.lower().replace("’", "'")
    corrected = agreement.correct_question(word.before, verb, word.after, opens=word.opens)
    return corrected and written_like(word.text, corrected)


_ALWAYS_CAPITALIZED = (
    (DAYS_AND_MONTHS - {"august"})
    | {f"{day}s" for day in DAYS}
    | word_set(
        "english spanish german italian russian japanese korean portuguese chinese greek vietnamese ukrainian american "
        "americans british european europeans african asian mexican brazilian canadian australian indian"
    )
)
"""Not “august” and “polish”, which are other words too, nor “french fries”."""


def _capitalize(word: _Word) -> str | None:
    return word.text.capitalize() if word.text in _ALWAYS_CAPITALIZED else None


_THANKS = re.compile(r"\b(?:thanks?|thank you|grateful|appreciate)\b[^.!?]{0,40}$", re.IGNORECASE)
_THANKED_FOR = word_set(
    "help assistance time support feedback information hospitality reply response answer message email mail letter "
    "patience attention understanding interest advice cooperation kindness effort efforts kind quick prompt "
    "great immense continued valuable"
)


def _your(word: _Word) -> str | None:
    """“Your” for “you” in thanks: “thanks for you help”."""
    if word.text != "you" or word.before != "for" or word.after.lower() not in _THANKED_FOR:
        return None
    return "your" if _THANKS.search(word.sentence[: word.evidence.start]) else None


@dataclass(frozen=True, slots=True)
class _Rule:
    kind: Kind
    find: Callable[[_Word], str | None]
    """The replacement of a word; None where the rule does not apply."""
    decided_by_before: bool = True
    """Whether the word before decides."""
    decided_by_after: bool = True
    """Whether the word behind decides."""

    def match(self, word: _Word) -> RuleMatch | None:
        replacement = self.find(word)
        if replacement is None:
            return None
        span, sentence = word.span, word.sentence
        evidence = Span(
            word.evidence.start if self.decided_by_before else span.start,
            word.evidence.end if self.decided_by_after else span.end,
        )
        if not replacement:  # a space goes with a deleted word; a line end stays
            gap = sentence[len(sentence[: span.start].rstrip()) : span.start]
            span = Span(span.start, span.end + 1) if gap.strip(" ") else Span(span.start - len(gap), span.end)
        return RuleMatch(_explained(sentence, span, replacement, self.kind), evidence)


_RULES = (
    _Rule(Kind.REDUNDANCY, _drop_repeated),
    _Rule(Kind.PUNCTUATION, _complete_contraction),
    _Rule(Kind.ARTICLE, _choose_article),
    _Rule(Kind.AGREEMENT, _agree_with_pronoun_before, decided_by_after=False),
    _Rule(Kind.AGREEMENT, _agree_with_pronoun_behind, decided_by_before=False),
    _Rule(Kind.PRONOUN, _your),
    _Rule(Kind.CASING, _capitalize, decided_by_before=False, decided_by_after=False),
)
_PATTERN_RULES = (*PATTERN_RULES, *PHRASE_RULES)
_RULE_WORDS = CONTRACTIONS.keys() | _CONDITIONAL.keys() | _ARTICLES | _ALWAYS_CAPITALIZED
"""Words in lower case that a rule may match, besides repeated words and `_RULE_PAIRS`."""
_RULE_PAIRS = agreement.PAIRS | {("for", "you")}
"""Words in lower case that a rule may match if they follow one another."""
