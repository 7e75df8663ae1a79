"""Personal pronouns and the forms of *be*, *have* and *do* that do not agree with them: “they was”, “she don't”."""

from __future__ import annotations

import re

from redraft.text.words import word_set

_PLURAL = {"is": "are", "was": "were", "has": "have", "does": "do"}
_SINGULAR = {other: verb for verb, other in _PLURAL.items()}
_FORMS = {
    "i": {"were": "was", "has": "have"},  # “i is” is a variable, “World War I does” a number
    "we": _PLURAL,
    "they": {verb: other for verb, other in _PLURAL.items() if verb != "is"},  # “they is a pronoun”
    "you": {verb: other for verb, other in _PLURAL.items() if verb != "is"},
    **dict.fromkeys(("he", "she", "it"), _SINGULAR),
}
_AGREEING = {
    (pronoun, verb + ending): other + ending
    for pronoun, forms in _FORMS.items()
    for verb, other in forms.items()
    for ending in ("", "n't")
}
"""By pronoun and verb, the verb that agrees with the pronoun."""
_WRITTEN = _AGREEING.keys() | {(pronoun, verb.removesuffix("'t")) for pronoun, verb in _AGREEING}
PAIRS = frozenset(_WRITTEN | {(verb, pronoun) for pronoun, verb in _WRITTEN})
"""The pronouns and verbs, in either order, and also as a sentence has them if only its letters are read: “don” for
“don't”."""

_LAST_WORD = re.compile(r"([A-Za-z]+(?:['’][a-z]+)?)\s$")
_COMMA_AND = re.compile(r"[,;] and\s$", re.IGNORECASE)
_BEGINS_SENTENCE = re.compile(r"(?:^|[.!?]\s|[\"“])\s*$")
_JOINS_SUBJECTS = word_set("and or nor like pronoun pronouns word")
_BEGINS_CLAUSE = word_set("because but so since when while")
_BEGINS_ANY_CLAUSE = _BEGINS_CLAUSE | word_set("if that although though think know hope believe")
_NOMINATIVES = word_set("he she we they")
_QUESTION_WORDS = word_set("what where when why how who")
_ONLY_AFTER_SUBJECT = frozenset({"don't", "haven't"})
_SUBJUNCTIVES = word_set("are were weren't have do")
_ABOUT_WORDS = re.compile(r"\bpronouns?\b", re.IGNORECASE)


def agreeing_form(pronoun: str, verb: str) -> str | None:
    """The form of a verb that agrees with a pronoun, both in small letters; None if it agrees as it is, or is none of
    these verbs."""
    return _AGREEING.get((pronoun, verb))


def correct_agreement(earlier: str, pronoun: str, verb: str) -> str | None:
    """The form of a verb that agrees with the pronoun before it, where that is certain; None elsewhere.

    `earlier` is the sentence up to the pronoun. “You” and “it” are objects too (“what she gave you was good”), “I” is a
    number (“World War I has”), and “he have”, “she were” are right in questions and subjunctives. Where such a pronoun
    begins a clause, it is certain.
    """
    corrected = agreeing_form(pronoun.lower(), verb)
    if corrected is None or _ABOUT_WORDS.search(earlier):
        return None
    begins_sentence = _BEGINS_SENTENCE.search(earlier) is not None
    if pronoun.istitle() and pronoun != "I" and not begins_sentence:
        return None  # a name
    last = _LAST_WORD.search(earlier)
    before = last[1].lower() if last else ""
    joins_clauses = before == "and" and _COMMA_AND.search(earlier) is not None
    if before in _JOINS_SUBJECTS and not joins_clauses:
        return None
    is_subject = pronoun.lower() in {"we", "they"} or (pronoun.lower() in {"he", "she"} and verb in _ONLY_AFTER_SUBJECT)
    clauses = _BEGINS_CLAUSE if verb in _SUBJUNCTIVES else _BEGINS_ANY_CLAUSE
    is_clause = begins_sentence or before in clauses or (joins_clauses and verb not in _SUBJUNCTIVES)
    return corrected if is_subject or is_clause else None


def correct_question(before: str, verb: str, pronoun: str, *, opens: bool) -> str | None:
    """The form of a verb that agrees with the pronoun behind it, in a question, where that is certain; None elsewhere.

    `before` is the word before the verb, and `opens` says whether the verb begins a sentence: “was they late?”, “where
    do he live?”.
    """
    corrected = agreeing_form(pronoun, verb) if pronoun in _NOMINATIVES else None
    if verb in {"were", "weren't"}:  # “Were he here”
        return None
    return corrected if opens or (before in _QUESTION_WORDS and verb not in {"is", "are"}) else None


_FIRST_WORD = re.compile(r"\s*([A-Za-z]+(?:['’][a-z]+)?)")


def exchanges_subject(old: str, new: str, behind: str) -> bool:
    """Whether an edit puts another pronoun before a verb, because that agrees with it: “it was” for “they was”."""
    before, after = old.strip().lower(), new.strip().lower()
    verb = _FIRST_WORD.match(behind)
    if not verb or after not in _FORMS:
        return False
    written = verb[1].lower().replace("’", "'")
    return agreeing_form(before, written) is not None and agreeing_form(after, written) is None
