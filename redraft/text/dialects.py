"""American and British spellings: which words are the same but for the country they are written in."""

from __future__ import annotations

import re
from enum import StrEnum

from redraft.errors import ConfigError
from redraft.text.language_tags import parse_tag
from redraft.text.words import word_set


class Dialect(StrEnum):
    AMERICAN = "en-US"
    BRITISH = "en-GB"


_OUR = (
    "ard|arm|behavi|cand|clam|col|demean|endeav|fav|ferv|flav|harb|hon|hum|lab|neighb|od|parl|ranc|rum|savi|sav|splend|tum"
    "|val|vap|vig"
)
_RE = "calib|cent|fib|lit|lust|meag|met|mit|och|sab|somb|spect|theat"
_ELL = (
    "cancel|channel|counsel|dial|duel|equal|fuel|initial|jewel|label|level|marvel|model|panel|pedal|quarrel|rival|shovel"
    "|signal|spiral|swivel|total|travel|tunnel|unravel"
)
# British ending → American ending, behind the stems for which it holds.
_RULES = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (rf"\b((?:dis|mis|un)?(?:{_OUR}))our", r"\1or"),
        (rf"\b((?:centi|kilo|milli)?(?:{_RE}))re(s?|d)$", r"\1er\2"),
        (rf"\b((?:un|re|mis)?(?:{_ELL}))l(ed|ing|ers?|ors?)$", r"\1\2"),
        (r"(\w{3}i)s(e|ed|es|ing|ers?|able|ations?|ational)$", r"\1z\2"),
        (r"(\w{2}ly)s(e|ed|es|ing|ers?)$", r"\1z\2"),
        (r"(anal|catal|dial|monol|prol|epil)ogue(s?)$", r"\1og\2"),
        (r"(def|off|pret)ence(s?|less)$", r"\1ense\2"),
    )
)
_PAIRS = """
aeroplane airplane, ageing aging, aluminium aluminum, amongst among, anaemia anemia, artefact artifact, burnt burned,
cheque check, cosy cozy, dreamt dreamed, encyclopaedia encyclopedia, enrol enroll, fulfil fulfill, grey gray,
instalment installment, jewellery jewelry, judgement judgment, learnt learned, leapt leaped, manoeuvre maneuver, maths
math, moustache mustache, mum mom, omelette omelet, paediatric pediatric, plough plow, programme program, pyjamas
pajamas, sceptical skeptical, skilful skillful, smelt smelled, spelt spelled, spoilt spoiled, sulphur sulfur, towards
toward, tyre tire, whilst while, wilful willful, yoghurt yogurt
"""
_AMERICAN = dict(pair.split() for pair in _PAIRS.split(","))
_AMERICAN |= {f"{british}s": f"{american}s" for british, american in _AMERICAN.items()}
# In British English these are different words.
_APART = word_set("license licence licenses licences practice practise practices practises")


def dialect_of(language: str) -> Dialect | None:
    """The dialect that a language tag names; None for any other language, and for English of any other country."""
    wanted = parse_tag(language)
    return next((dialect for dialect in Dialect if parse_tag(dialect) == wanted), None)


def find_dialect(name: str) -> Dialect:
    """The same, but an unknown dialect is an error."""
    dialect = dialect_of(name)
    if dialect is None:
        raise ConfigError(f"dialect {name!r} is not known; choose {' or '.join(Dialect)}")
    return dialect


def to_american(word: str) -> str:
    """The American spelling of a word in lower case; the word itself if it has no other."""
    if word in _AMERICAN or word in _APART:
        return _AMERICAN.get(word, word)
    for pattern, replacement in _RULES:
        word = pattern.sub(replacement, word)
    return word


def are_variants(one: str, other: str) -> bool:
    """Are these two spellings of one word, each right in its own country?"""
    one, other = one.casefold(), other.casefold()
    return one != other and to_american(one) == to_american(other)


def belongs_to(word: str, dialect: Dialect) -> bool:
    """Of a word that is spelt in two ways: is this how it is spelt there?"""
    word = word.casefold()
    return (to_american(word) == word) is (dialect is Dialect.AMERICAN)
