"""Rules for English errors that a few words or characters show: “i” for “I”, an accent for an apostrophe, a comma after
a space, “their is”, “that why”, and a sentence that begins with a small letter.

`edits/rules.py` uses them.
"""

from __future__ import annotations

import re

from redraft.edits.edit import Kind
from redraft.edits.lexicon import ACCENTS, COMMON_VERBS, HAVE, MIDDLE_ADVERBS, MODALS
from redraft.edits.pattern import PatternMatch, PatternRule, written_like
from redraft.text.sentences import STARTERS
from redraft.text.span import Span
from redraft.text.words import word_set

_FIRST_WORD = re.compile(r"[a-z]+(?![\w'’-])")


def find_small_start(sentence: str) -> PatternMatch | None:
    """The first word of a sentence behind another one, if it is in small letters."""
    first = _FIRST_WORD.match(sentence)
    if first is None or first.group() not in STARTERS:
        return None
    span = Span(*first.span())
    return PatternMatch(span, first.group().capitalize(), Kind.CASING, span)


_NEGATED = word_set(
    "ain aren can couldn didn doesn don hadn hasn haven isn mightn mustn needn shan shouldn wasn weren won wouldn"
)

_PRONOUN_I = re.compile(r"(?<![^\s,;(“\"])(?P<old>i)(?=['’](?:m|ve|ll|d)\b| (?P<after>[a-z]+)\b)")
_WORD_BEFORE = re.compile(r"([A-Za-z]+) $")
_AFTER_I = (
    COMMON_VERBS
    | MIDDLE_ADVERBS
    | HAVE
    | MODALS
    | _NEGATED
    | {f"{start}t" for start in _NEGATED}
    | word_set(
        "am was do did make made take took come came became thought knew wanted needed liked loved hated felt "
        "believed hoped guessed said saw went got gave lived worked tried agreed understood remembered forgot "
        "started wished heard wrote used played studied learned learnt decided met told asked found left lost bought "
        "called helped moved visited realized noticed looked stayed finished bet really usually sometimes personally "
        "honestly actually probably almost finally strongly totally completely truly"
    )
) - word_set("has having represent")
_NAMED_BY_LETTER = word_set(
    "any axis each element every index indices item iteration level node row subscript type variable vertex"
)
"""Words behind which “i” is the name of something."""


def _capitalize_pronoun(match: re.Match[str]) -> str | None:
    before, after = _WORD_BEFORE.search(match.string, 0, match.start()), match["after"]
    names_something = before is not None and before[1].lower() in _NAMED_BY_LETTER
    return None if names_something or (after and after not in _AFTER_I) else "I"


_ACCENT = re.compile(
    rf"(?<![\w'’{ACCENTS}])(?P<old>(?P<word>[A-Za-z]+)[{ACCENTS}](?P<ending>s|t|m|d|re|ve|ll))(?![\w{ACCENTS}])"
)
_SHORT_FORMS = {
    "t": _NEGATED,
    "m": word_set("i"),
    "d": word_set("i you he she it we they who there that how what"),
    "ll": word_set("i you he she it we they who there that this what"),
    "re": word_set("you we they there who what how"),
    "ve": word_set("i you we they who could should would might must"),
}


def _apostrophe(match: re.Match[str]) -> str | None:
    word, ending = match["word"].lower(), match["ending"]
    if ending != "s" and word not in _SHORT_FORMS[ending]:
        return None
    mark = "’" if "’" in match.string else "'"
    return f"{'I' if word == 'i' else match['word']}{mark}{ending}"


_COMMA = re.compile(r"[A-Za-z]{2}(?P<old> ,)[A-Za-z]")

_CLAUSE = r"(?:^|[.!?,;:]\s)[\"“]?"
_THEIR = re.compile(
    rf"(?:{_CLAUSE}|\b(?P<before>[A-Za-z]+) )(?P<old>[Tt]heir) (?:is|are|was|were)\b"
    r"(?! (?:\w+ed|gender|an?(?: possessive)? (?:adjective|pronoun|word))\b)"
)
_BEFORE_CLAUSE = word_set(
    "and because but if since so that then think thinks know knows believe hope overall sometimes when while although "
    "say says said"
)


def _there(match: re.Match[str]) -> str | None:
    if match["before"] and match["before"].lower() not in _BEFORE_CLAUSE:
        return None
    return written_like(match["old"], "there")


_THAT_WHY = re.compile(rf"(?:{_CLAUSE}|\b(?:so|and|but) )(?P<old>[Tt]hat) why\b(?! not\b)")

PATTERN_RULES = (
    PatternRule(Kind.CASING, ("i ", "i'", "i’"), _PRONOUN_I, _capitalize_pronoun),
    PatternRule(Kind.PUNCTUATION, tuple(ACCENTS), _ACCENT, _apostrophe),
    PatternRule(Kind.SPACING, (" ,",), _COMMA, lambda match: ", "),
    PatternRule(Kind.WORD_CHOICE, ("heir is ", "heir are ", "heir was ", "heir were "), _THEIR, _there),
    PatternRule(Kind.MISSING_WORD, ("hat why",), _THAT_WHY, lambda match: f"{match['old']}'s"),
)
