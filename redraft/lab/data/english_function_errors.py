"""Wrong articles, prepositions, pronouns, auxiliaries and commas of English, written down by hand.

For a table that must not be learnt from learners' texts. The rates are plain orders of magnitude, and only their
proportions within a family count: the shares of the families are set apart from them. No corpus was counted for them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from redraft.lab.data.table import Candidate, Family

NOTHING = "-"
"""Stands for an empty wrong form: the word is left out."""

_ARTICLES = {
    "the": "-|-|-|a", "a": "-|-|-|the", "an": "-|-|-|a|the", "this": "these|the", "these": "this|the",
    "those": "that|this", "another": "other|an other", "many": "much", "much": "many", "other": "another|the other",
    "both": "the both", "every": "all", "few": "little", "little": "few",
}  # fmt: skip
_PREPOSITIONS = {
    "in": "on|on|at|of|to|into|with|for|during|-", "on": "in|in|at|for|about|of|to|-", "at": "in|in|on|to|for|-",
    "of": "in|for|from|about|with|on|-|-", "to": "for|for|in|at|into|of|-|-", "for": "to|to|of|in|with|about|since|-",
    "with": "by|of|for|to|in|about|-", "by": "with|from|for|of|in|-", "from": "of|by|in|to|at|-",
    "about": "of|for|on|with|in|-", "into": "in|in|to", "as": "like|for|-", "during": "in|for|on|while",
    "between": "among|in|of", "among": "between|in", "through": "by|with|from", "since": "for|from", "until": "by|to",
    "against": "to|with", "than": "from|to|of", "around": "about", "up": "-", "out": "-", "off": "of|from",
    "like": "as", "across": "in|on", "upon": "in|to", "near": "near to|near of",
}  # fmt: skip
_PRONOUNS = {
    "it": "-|-|this|they", "they": "it|them|-", "them": "it|they|-", "he": "him|-", "she": "her|-", "him": "he|his",
    "her": "she|hers", "his": "him|he", "i": "me|-", "me": "i", "we": "us|-", "us": "we", "who": "which|that|whom|-",
    "which": "that|who|what|-", "that": "which|-", "whom": "who", "what": "which|that",
    "themselves": "them|theirselves", "himself": "him|hisself", "itself": "it", "myself": "me", "yourself": "you",
    "ones": "one", "you": "your|-", "ours": "our", "theirs": "their", "mine": "my", "yours": "your",
    "whose": "which|who", "their": "them|they",
}  # fmt: skip
_AGREEMENT = {
    "is": "are", "are": "is", "was": "were", "were": "was", "has": "have", "have": "has", "does": "do", "do": "does",
    "am": "is", "'s": "are", "'re": "is", "'ve": "has",
}  # fmt: skip
_VERBS = {
    "is": "was|-|be|has", "are": "were|-|be|have", "was": "is|-|has", "were": "are|-|have", "has": "had|is|-",
    "have": "had|are|-", "had": "have|has|-", "do": "did", "does": "did", "did": "do|does", "will": "would|-",
    "would": "will|-", "could": "can", "been": "be|being|-", "be": "being|been|is|-", "being": "be|been|-", "am": "-",
    "'ll": "-", "'d": "-", "'ve": "-", "not": "no", "having": "have",
}  # fmt: skip
_FUNCTION = {
    "and": "-", "also": "too", "very": "much|too", "too": "very", "so": "such|very", "such": "so", "there": "it",
    "more": "much|most|-", "most": "more", "less": "few", "fewer": "less", "how": "what", "well": "good",
    "as well": "also", "even though": "even", "so that": "that", "as": "than", "because": "because of",
    "because of": "because", "due to": "due", "in order to": "in order",
}  # fmt: skip
_PUNCTUATION: Mapping[str, tuple[tuple[str, float], ...]] = {
    ",": ((NOTHING, 9000), (".", 200), (";", 100)),
    ".": ((NOTHING, 900), (",", 200)),
    ";": ((",", 5000), (NOTHING, 1000)),
    ":": ((",", 1500), (NOTHING, 1500), (";", 300)),
    "?": ((".", 4000), (NOTHING, 2000)),
    "!": ((".", 500),),
    "'s": ((NOTHING, 3000),),
    "that": ((", that", 400),),
    "because": ((", because", 700),),
    "if": ((", if", 300),),
    "and": ((", and", 250),),
    "or": ((", or", 150),),
    "is": ((", is", 60),),
    "are": ((", are", 60),),
    "to": ((", to", 30),),
    "when": ((", when", 200),),
}
_RATES = (
    (Family.ARTICLE, _ARTICLES, 6000.0),
    (Family.PREPOSITION, _PREPOSITIONS, 4000.0),
    (Family.PRONOUN, _PRONOUNS, 2500.0),
    (Family.AGREEMENT, _AGREEMENT, 4000.0),
    (Family.VERB, _VERBS, 2500.0),
    (Family.FUNCTION, _FUNCTION, 2000.0),
)
"""Rate of all wrong forms of a word together, which they share equally; a form that is listed twice has two shares."""


def list_function_errors() -> Iterator[tuple[str, Candidate]]:
    """Right words and their wrong forms."""
    for family, words, rate in _RATES:
        for right, forms in words.items():
            wrongs = forms.split("|")
            for wrong in dict.fromkeys(wrongs):
                yield right, Candidate(_write(wrong), family, rate * wrongs.count(wrong) / len(wrongs))
    for right, weighted in _PUNCTUATION.items():
        for wrong, rate in weighted:
            yield right, Candidate(_write(wrong), Family.PUNCTUATION, rate)


def _write(wrong: str) -> str:
    return "" if wrong == NOTHING else wrong
