"""Confusion sets of English: words that are written for one another, and phrases in which it happens most.

Tokens of a phrase have spaces between them, as in the error table: `they 're`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import pairwise

from redraft.lab.data.table import Drill
from redraft.lab.data.tokenization import split_chunk

SETS = (
    "to|too", "then|than", "there|their|they 're", "your|you 're", "its|it 's", "lose|loose", "affect|effect",
    "affects|effects", "accept|except", "whose|who 's", "were|where|we 're", "weather|whether", "quite|quiet",
    "advice|advise", "passed|past", "principal|principle", "breath|breathe", "choose|chose", "hear|here", "know|now",
    "knew|new", "right|write", "piece|peace", "break|brake", "week|weak", "whole|hole", "form|from",
    "though|thought|through", "led|lead", "desert|dessert", "believe|belief", "of|off", "buy|by", "wear|where",
    "which|witch", "son|sun", "see|sea", "meet|meat", "plain|plane", "stationary|stationery", "complement|compliment",
    "council|counsel", "device|devise", "raise|rise", "adapt|adopt", "personal|personnel", "formally|formerly",
    "later|latter", "loss|lost", "safe|save", "prove|proof", "road|rode", "role|roll", "sight|site", "steal|steel",
    "tale|tail", "waste|waist", "wait|weight", "allowed|aloud", "bear|bare", "board|bored", "cell|sell",
    "course|coarse", "ensure|insure", "everyday|every day", "maybe|may be", "lets|let 's", "bought|brought",
    "since|sense", "as|has", "clothes|cloths", "beside|besides", "proceed|precede", "thorough|through", "an|and",
    "this|these", "peak|peek", "flour|flower", "diary|dairy", "angle|angel", "already|all ready", "anyone|any one",
    "lie|lay", "cite|site", "threw|through", "patients|patience", "roles|rolls", "heard|herd", "would|wood",
    "fell|feel|felt", "leave|live", "costume|custom", "conscious|conscience", "lightning|lightening",
    "altogether|all together", "into|in to", "aisle|isle", "berth|birth", "capital|capitol", "bath|bathe",
)  # fmt: skip
"""Members of each set, any of which may be written for any other."""

PHRASES = {
    "more than": "more then", "less than": "less then", "better than": "better then", "rather than": "rather then",
    "other than": "other then", "there is": "their is|they 're is", "there are": "their are", "there was": "their was",
    "their own": "there own|they 're own", "could have": "could of", "would have": "would of",
    "should have": "should of", "must have": "must of", "might have": "might of", "used to": "use to",
    "supposed to": "suppose to", "too much": "to much", "too many": "to many", "too late": "to late", "me too": "me to",
    "your own": "you 're own", "a lot": "alot", "at least": "atleast",
    "of course": "ofcourse|of coarse", "in fact": "infact", "as well": "aswell", "each other": "eachother",
    "no one": "noone|no-one", "do n't": "dont", "does n't": "doesnt", "did n't": "didnt", "ca n't": "cant",
    "wo n't": "wont", "is n't": "isnt", "was n't": "wasnt", "have n't": "havent", "could n't": "couldnt",
    "would n't": "wouldnt", "i 'm": "im", "i 've": "ive", "i 'll": "ill", "that 's": "thats", "what 's": "whats",
    "he 's": "hes", "she 's": "shes", "you 've": "youve", "they 've": "theyve", "we 've": "weve", "are n't": "arent",
}  # fmt: skip
"""A right phrase of two tokens to what is written for it."""


def list_drills(sentences: Iterable[str]) -> dict[str, Drill]:
    """The drills, each with a weight that makes all of them equally frequent in text like the sentences."""
    wrongs: defaultdict[str, list[str]] = defaultdict(list)
    for members in SETS:
        words = members.split("|")
        for word in words:
            wrongs[word] += [other for other in words if other != word]
    for phrase, others in PHRASES.items():
        wrongs[phrase] = others.split("|")
    counts: Counter[str] = Counter()
    total = 0
    for sentence in sentences:
        total += 1
        tokens = [token.lower() for chunk in sentence.split() for token in split_chunk(chunk)]
        counts.update(token for token in tokens if token in wrongs)
        counts.update(phrase for phrase in map(" ".join, pairwise(tokens)) if phrase in wrongs)
    return {
        key: Drill(tuple(others), max(1, total) / (len(wrongs) * (counts[key] + 1))) for key, others in wrongs.items()
    }
