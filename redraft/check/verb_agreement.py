"""Corrects verbs that the model rules out, where it cannot decide between tenses.

“She go home” may become “goes” or “went”. Neither is likely enough to be written, but together they leave hardly any
probability for “go”. The writer has used the present tense, so the verb gets the form of the present that agrees.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from redraft.check.word_correction import WordCorrection
from redraft.decode.continuations import rank_copied_places
from redraft.decode.loop import Decoded
from redraft.decode.stepper import Engine, Ranking
from redraft.edits.caution import MOST_OF_RULED_OUT
from redraft.edits.inflection import Form, readings, shifts
from redraft.edits.lexicon import COMMON_VERBS, IRREGULAR_VERBS
from redraft.text.span import Span
from redraft.tokens.tokenizer import Tokenizer

_LEAST_OF_AGREEING = 0.1
"""The least probability of the verb that agrees."""
_RANKED = 64
_VERB = re.compile(r" ?([a-z]+)(?![^\W_]|['’-])")
"""A word of small letters. Contractions are left to the rules (`redraft/edits/agreement.py`)."""


def find_unsure_verbs(tokenizer: Tokenizer, text: str, decoded: Decoded, threshold: float) -> list[Span]:
    """The verbs in the present tense, of one token, that were copied though no token has the threshold in their place.

    `decoded` is what the model has written for the text, if that is the text itself.
    """
    least = math.log(threshold) if threshold > 0 else -math.inf
    unsure = [place for place, one in enumerate(decoded.log_probabilities[: len(decoded.ids)]) if one < least]
    if decoded.kept is not None:
        unsure = [place for place in unsure if place in decoded.kept]
    if not unsure:
        return []
    pieces = tokenizer.pieces(decoded.ids)
    found = []
    for place in unsure:
        word = _VERB.match(text, pieces.starts[place])
        if word and word.end() == pieces.ends[place] and _may_be_present(word[1]):
            found.append(Span(*word.span(1)))
    return found


def _may_be_present(word: str) -> bool:
    return any(
        reading.form in (Form.BASE, Form.S) and (reading.base in COMMON_VERBS or reading.base in IRREGULAR_VERBS)
        for reading in readings(word)
    )


def find_agreeing_verbs(
    engine: Engine, tokenizer: Tokenizer, text: str, verbs: Sequence[Span], threshold: float
) -> list[WordCorrection]:
    """The forms that agree, for those of some verbs that the model rules out as they are."""
    ids = tokenizer.encode(text)
    pieces = tokenizer.pieces(ids)
    places = [pieces.overlapping(span.start, span.end)[0] for span in verbs]
    found = []
    for span, ranking in zip(verbs, rank_copied_places(engine, ids, places, tokenizer, _RANKED), strict=True):
        agreeing, confidence = _weigh_forms(span.of(text), ranking, tokenizer)
        if agreeing and confidence >= threshold:
            found.append(WordCorrection(span, agreeing, confidence))
    return found


def _weigh_forms(verb: str, ranking: Ranking, tokenizer: Tokenizer) -> tuple[str, float]:
    """The form of a verb that agrees, and the probability of all its other forms together; no form if the verb may stay
    as it is, or the one that agrees is too unlikely."""
    agreeing, most, all_forms = "", 0.0, 0.0
    for token, log_probability in zip(ranking.ids, ranking.log_probabilities, strict=True):
        word, probability = tokenizer.decode([token]).strip(), math.exp(log_probability)
        if not tokenizer.starts_word[token] or not word:
            continue
        if word == verb:
            if probability > MOST_OF_RULED_OUT:
                return "", 0.0
            continue
        found = shifts(verb, word)
        all_forms += probability if found else 0.0
        if probability > most and any({shift.source, shift.target} == {Form.BASE, Form.S} for shift in found):
            agreeing, most = word, probability
    return (agreeing, all_forms) if most >= _LEAST_OF_AGREEING else ("", 0.0)
