"""Rules for phrases of people who learn English that are certainly wrong: “I am agree”, “have went”, “listen music”.

The model corrects most of them too; the rules are for the sentences in which it is not sure enough. `edits/rules.py`
uses them.
"""

from __future__ import annotations

import re

from redraft.edits.edit import Kind
from redraft.edits.lexicon import COMMON_VERBS, IRREGULAR_VERBS, NOUNS_AND_VERBS
from redraft.edits.pattern import PatternRule, written_like
from redraft.text.words import word_set

_END = r"(?=[.,!?;]|$)"
_BEFORE_NOUN = r"(?:my|your|his|her|our|their)"
_OBJECT = r"(?:me|him|her|us|them)"
_VERBS = COMMON_VERBS - {"must"}

# “should have went”
_AMBIGUOUS = word_set("bore beat bit did forgot got hid lay proved rose sang saw shone showed swelled woke wound")
_PARTICIPLES = {
    past: participle for past, participle in IRREGULAR_VERBS.values() if past != participle and past not in _AMBIGUOUS
} | {"did": "done"}
_HAVE_PAST = re.compile(
    r"\b(?:(?:have|has|had)(?:n['’]t)?|['’]ve) (?:(?:never|ever|just|already|also|not|only|once) )?"
    rf"(?P<old>{'|'.join(_PARTICIPLES)})\b"
)

# “didn't went”, “I want to went”
_BASES = {
    IRREGULAR_VERBS[base][0]: base
    for base in word_set(
        "go wake take write speak give know eat drink begin swim choose forget fly grow throw wear become come teach "
        "bring buy catch drive sell"
    )
}
_PAST_FOR_BASE = re.compile(
    r"\b(?:(?:did|does|do)(?:n['’]t| not)|(?:want|wants|wanted|need|needs|needed|have|has|had|going|like|able|try|used)"
    rf" to) (?P<old>{'|'.join(_BASES)})\b"
)

# “I am agree”, “we're not agree”
_AM_AGREE = re.compile(
    r"\b(?P<old>(?P<subject>I|[Ww]e|[Yy]ou|[Tt]hey)(?: (?:am|are)|(?P<short>['’](?:m|re)))"
    r"(?P<adverb> (?:strongly|totally|completely|fully|also|really|not))? (?P<verb>agree|disagree))\b(?! to disagree)"
)


def _agree(match: re.Match[str]) -> str:
    adverb = match["adverb"] or ""
    if adverb == " not":
        adverb = f" don{match['short'][0]}t" if match["short"] else " do not"
    return f"{match['subject']}{adverb} {match['verb']}"


# “listen music”
_LISTEN = re.compile(
    r"(?<![\w-])(?<!most )(?P<old>listen(?:s|ed|ing)?)"
    rf" (?:music|songs|podcasts|radio|the (?:music|radio|songs?|teacher|news)|{_BEFORE_NOUN}|{_OBJECT})\b"
)

# “I have not seen him since two weeks.”
_NUMBER = (
    r"(?:\d{1,3}|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|many|several|a few)"
)
_AMOUNT = rf"(?:about |almost |more than |over )?{_NUMBER} (?:years?|months?|weeks?|days?|hours?|minutes?)"
_SINCE = re.compile(rf"\b(?P<old>since) {_AMOUNT}{_END}")
_SINCE_FIRST = re.compile(rf"^(?P<old>Since) {_AMOUNT},? (?:I|we|you|he|she|it|they)\b")

# “he works hardly”
_HARDLY = re.compile(
    r"\b(?:work(?:s|ed|ing)?|stud(?:y|ies|ied|ying)|train(?:s|ed|ing)?|tr(?:y|ies|ied|ying)|practi[cs](?:e|es|ed|ing)) "
    r"(?:very |so |really |too )?(?P<old>hardly)(?=[.!?;]|$| (?:and|to|because|every)\b)"
)

# “I made it by my own.”, but not “he judged others by his own”
_BY_OWN = re.compile(rf"\b(?P<old>[Bb]y) {_BEFORE_NOUN} own(?=[.,!?;]|$| (?:and|but|because|without)\b)")
_COMPARES = re.compile(r"\b(?:judg|measur|compar|other|not by)")


def _alone(match: re.Match[str]) -> str | None:
    if _COMPARES.search(match.string):
        return None
    return written_like(match["old"], "on")


# “he told that he was busy”
_TOLD_THAT = re.compile(
    r"(?<!is )(?<!are )(?<!was )(?<!were )(?<!\w)(?:[Hh]e|[Ss]he|[Tt]hey|I|[Ww]e) (?P<old>told) "
    r"that (?:he|she|they|I|we|it|you|there)\b"
)

# “how does it look like?”
_HOW_LIKE = re.compile(
    r"\b(?P<old>[Hh]ow) (?:do|does|did|will|would) (?:it|he|she|they|this|that|(?:your|the|his|her) (?:\w+ )?\w+) "
    r"looks? like\b"
)

# “please find attach the file”
_FIND_ATTACH = re.compile(r"\b[Pp]lease (?:kindly )?find (?P<old>attach)(?=[ .:,])")

# “I am used to wake up early”
_USED_TO = re.compile(r"\bI(?: am|['’]m| was) (?:not )?used to (?P<old>[a-z]+)\b")
_DOUBLED = word_set("get put run sit swim win stop travel begin hit cut let set")


def _gerund(match: re.Match[str]) -> str | None:
    verb = match["old"]
    if verb not in _VERBS - NOUNS_AND_VERBS:
        return None
    if verb in _DOUBLED:
        return f"{verb}{verb[-1]}ing"
    if verb.endswith("ie"):
        return f"{verb[:-2]}ying"
    return f"{verb}ing" if verb == "be" or verb.endswith("ee") else f"{verb.removesuffix('e')}ing"


# “Can you tell me what time is it?”, “I don't know where is the station.”
_ASKS = rf"(?:know|wonder|remember|tell {_OBJECT}|ask(?:ed)? {_OBJECT}|forgot|understand|find out|see)"
_WHAT_TIME = re.compile(rf"\b{_ASKS} what time (?P<old>(?P<verb>is|was) it)\b")
_WHERE_IS = re.compile(
    rf"\b{_ASKS} where (?P<old>(?P<verb>is|are|was|were) (?P<subject>(?:the|{_BEFORE_NOUN}) (?:[a-z]+ )?[a-z]+))"
    r"(?=[.?!]|$)"
)

# “what you are doing?”, “where you live?”: questions of one clause
_OTHER_VERB = (
    r"(?:is|are|was|were|am|do|does|did|have|has|will|can|could|would|should|what|who|how|that|which|if|when)\b"
)
_QUESTION = rf"^(?:What|Where|Why|Who|How|How long|How often|How much|How many (?!of\b|{_OTHER_VERB})\w+)"
_REST = rf"(?P<rest>(?: (?!{_OTHER_VERB})[\w'’-]+)*)\?$"
_WHAT_YOU_ARE = re.compile(
    rf"{_QUESTION} (?P<old>(?P<subject>you|he|she|it|we|they) (?P<verb>are|is|was|were|have|has|will|can|could|should))"
    + _REST
)
_WHERE_YOU_LIVE = re.compile(rf"{_QUESTION} (?P<old>you|we|they|I) (?P<verb>[a-z]+){_REST}")
_PERFECT = re.compile(rf" (?:been|ever|never|\w+ed|{'|'.join(past for _, past in IRREGULAR_VERBS.values())})\b")


def _invert(match: re.Match[str]) -> str | None:
    owns = match["verb"] in {"have", "has"} and not _PERFECT.match(match["rest"])  # “what you have?”
    return None if owns else f"{match['verb']} {match['subject']}"


def _ask_with_do(match: re.Match[str]) -> str | None:
    is_perfect = match["verb"] == "have" and _PERFECT.match(match["rest"])
    return f"do {match['old']}" if match["verb"] in _VERBS and not is_perfect else None


# “I not like it”, “he no understand”
_NO_VERB = re.compile(
    r"(?:^|[.!?,;] |\b(?:but|because|and) )(?:(?P<plural>I|[Ww]e|[Yy]ou|[Tt]hey)|[Hh]e|[Ss]he|[Ii]t) "
    r"(?P<old>no|not) (?P<verb>[a-z]+)\b"
)


def _do_not(match: re.Match[str]) -> str | None:
    if match["verb"] not in _VERBS:
        return None
    return "don't" if match["plural"] else "doesn't"


# “they what to go”
_WHAT_TO = re.compile(r"\b(?:I|i|[Ww]e|[Tt]hey) (?P<old>what) to (?P<verb>[a-z]+)\b")


def _want(match: re.Match[str]) -> str | None:
    return "want" if match["verb"] in _VERBS | {"be"} else None


# “a friend of me”, but not “she made a friend of him”
_OF_MINE = {"me": "mine", "him": "his", "us": "ours", "them": "theirs"}
_FRIEND_OF_ME = re.compile(
    r"(?<!make )(?<!made )(?<!makes )(?<!making )\b(?:[Aa]|[Ss]ome|another|an old|a good|this|that) friends? of "
    r"(?P<old>me|him|us|them)(?=[.,!?;]|$| (?:who|and|is|was|told|said|has|had|works|lives|from)\b)"
)

# “I prefer tea than coffee.”
_PREFER = re.compile(rf"\bprefer(?:s|red)? (?!more|less|other)\w+(?<!er) (?P<old>than) \w+{_END}")

PHRASE_RULES = (
    PatternRule(Kind.VERB_FORM, frozenset(_PARTICIPLES), _HAVE_PAST, lambda match: _PARTICIPLES[match["old"]]),
    PatternRule(Kind.VERB_FORM, frozenset(_BASES), _PAST_FOR_BASE, lambda match: _BASES[match["old"]]),
    PatternRule(Kind.VERB_FORM, ("agree",), _AM_AGREE, _agree),
    PatternRule(Kind.PREPOSITION, ("listen",), _LISTEN, lambda match: f"{match['old']} to"),
    PatternRule(Kind.PREPOSITION, ("since ",), _SINCE, lambda match: "for"),
    PatternRule(Kind.PREPOSITION, ("Since ",), _SINCE_FIRST, lambda match: "For"),
    PatternRule(Kind.WORD_FORM, (" hardly",), _HARDLY, lambda match: "hard"),
    PatternRule(Kind.PREPOSITION, (" own",), _BY_OWN, _alone),
    PatternRule(Kind.WORD_CHOICE, (" told that ",), _TOLD_THAT, lambda match: "said"),
    PatternRule(
        Kind.WORD_CHOICE, ("look like", "looks like"), _HOW_LIKE, lambda match: written_like(match["old"], "what")
    ),
    PatternRule(Kind.VERB_FORM, ("find attach",), _FIND_ATTACH, lambda match: "attached"),
    PatternRule(Kind.VERB_FORM, (" used to ",), _USED_TO, _gerund),
    PatternRule(Kind.WORD_ORDER, (" what time ",), _WHAT_TIME, lambda match: f"it {match['verb']}"),
    PatternRule(Kind.WORD_ORDER, (" where ",), _WHERE_IS, lambda match: f"{match['subject']} {match['verb']}"),
    PatternRule(Kind.WORD_ORDER, ("?",), _WHAT_YOU_ARE, _invert),
    PatternRule(Kind.MISSING_WORD, ("?",), _WHERE_YOU_LIVE, _ask_with_do),
    PatternRule(Kind.MISSING_WORD, (" not ", " no "), _NO_VERB, _do_not),
    PatternRule(Kind.WORD_CHOICE, (" what to ",), _WHAT_TO, _want),
    PatternRule(
        Kind.PRONOUN, (" of me", " of him", " of us", " of them"), _FRIEND_OF_ME, lambda match: _OF_MINE[match["old"]]
    ),
    PatternRule(Kind.PREPOSITION, ("prefer",), _PREFER, lambda match: "to"),
)
