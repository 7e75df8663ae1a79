"""Turns decoder output into suggestions, each with its kind, confidence and explanation."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from redraft.decode.loop import Decoded
from redraft.decode.trace import SentenceTrace, trace_sentence
from redraft.edits.align import Change, align
from redraft.edits.classify import classify
from redraft.edits.edit import Kind
from redraft.edits.explain import explain
from redraft.edits.lost_words import loses_words
from redraft.model.folder import ModelInfo
from redraft.text.chinese_characters import can_simplify, is_traditional, restore, simplify, traditionalize
from redraft.text.scripts import foreign_words, is_simplified
from redraft.text.spacing import normalize
from redraft.text.span import Span
from redraft.tokens.tokenizer import Pieces, Tokenizer

STAND_IN = "\ufffd"
"""Replaces a character that has no UTF-8 form."""
_LETTERS = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Suggestion:
    """An edit inside one normalized sentence, before it has a place in a text."""

    change: Change
    replacement: str
    kind: Kind
    confidence: float
    explanation: str


@dataclass(frozen=True, slots=True)
class Solution:
    """The suggestions of a model for one normalized sentence."""

    suggestions: tuple[Suggestion, ...]
    trace: SentenceTrace
    is_usable: bool = True
    """False if the model's output ran into the length limit or is not UTF-8."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A normalized sentence, and the text of the same length that the model is given."""

    sentence: str
    seen: str
    traditional: bool
    """Whether the sentence is in traditional characters, of which models of simplified Chinese know few."""


class Interpreter:
    """Prepares sentences for one model, and reads its output."""

    def __init__(self, tokenizer: Tokenizer, info: ModelInfo) -> None:
        self._tokenizer = tokenizer
        self._info = info

    def read(self, sentence: str) -> Reading:
        """Simplifies the characters of traditional Chinese for a model of simplified Chinese."""
        traditional = is_simplified(self._info.language) and is_traditional(sentence)
        return Reading(sentence, simplify(sentence) if traditional else sentence, traditional)

    def interpret(self, source: str, decoded: Decoded, policy: str, threshold: float = 0.0) -> Solution:
        """The edits between the text that the model was given and the decoded one.

        The threshold of the decoder loop is for the first token of an edit. A respelling must be surer (`_is_sure`).
        """
        pieces = self._tokenizer.pieces(decoded.ids)
        # An output that ran into the length limit, or that is not UTF-8, is not used: the sentence stays as it is.
        usable = decoded.finished and pieces.text.count(STAND_IN) <= source.count(STAND_IN)
        target = normalize(pieces.text).text if usable else source
        trace = trace_sentence(source, target, policy, decoded, self._tokenizer.decode)
        if target == source:
            return Solution((), trace, usable)
        shift = len(pieces.text) - len(pieces.text.lstrip())
        made = (
            self._suggest(source, target, change, _confidence(change, shift, pieces, decoded.confidences))
            for change in align(source, target)
        )
        least = math.log(threshold) if threshold > 0 else -math.inf
        found = tuple(
            one
            for one in made
            if not self._is_refused(one, source)
            and (one.kind is not Kind.SPELLING or self._is_sure(one, shift, pieces, decoded.log_probabilities, least))
        )
        return Solution(found, trace)

    def combine(self, reading: Reading, passes: Sequence[Solution]) -> Solution:
        """One solution for a sentence from those of its passes, of which each corrects the text of the one before."""
        changing = [one for one in passes if one.suggestions]
        suggestions = list(changing[0].suggestions) if changing else []
        if len(changing) > 1:
            suggestions = self._combine_edits(reading.seen, [one.suggestions for one in changing])
        if reading.traditional:
            suggestions = [written for one in suggestions if (written := self._in_traditional(one, reading.sentence))]
        trace = replace(passes[0].trace, repeats=tuple(one.trace for one in passes[1:]))
        return Solution(tuple(suggestions), trace, passes[0].is_usable)

    def _combine_edits(self, source: str, passes: Sequence[Sequence[Suggestion]]) -> list[Suggestion]:
        """The edits from the source to the text of the last pass.

        Each has the lowest confidence of those edits of any pass that changed the same place.
        """
        target = source
        confidences: list[tuple[Span, float]] = []
        for number, suggestions in enumerate(passes):
            for one in suggestions:
                span = one.change.source
                for earlier in reversed(passes[:number]):
                    span = _span_before(span, earlier)
                confidences.append((span, one.confidence))
            target = apply_suggestions(target, suggestions)
        found = []
        for change in align(source, target):
            start, end = change.source.start, change.source.end
            touching = (confidence for span, confidence in confidences if span.start <= end and start <= span.end)
            found.append(self._suggest(source, target, change, min(touching, default=1.0)))
        return [one for one in found if not self._is_refused(one, source)]

    def accept(self, reading: Reading, suggestion: Suggestion) -> Suggestion | None:
        """A suggestion with another replacement, as it is shown; None if it changes nothing or would not be shown."""
        unchanged = suggestion.replacement == suggestion.change.source.of(reading.seen)
        if unchanged or STAND_IN in suggestion.replacement or self._is_refused(suggestion, reading.seen):
            return None
        return self._in_traditional(suggestion, reading.sentence) if reading.traditional else suggestion

    def _suggest(self, source: str, target: str, change: Change, confidence: float) -> Suggestion:
        language = self._info.language
        kind = classify(source, target, change, language, self._is_common)
        old, new = change.source.of(source), change.target.of(target)
        before, after = target[: change.target.start], target[change.target.end :]
        reason = explain(kind, old, new, language, before, after)
        return Suggestion(change, new, kind, confidence, reason)

    def _is_common(self, word: str) -> bool:
        """Whether a word is one token: rare words and misspelt words are several."""
        return len(word) > 2 and len(self._tokenizer.encode(word)) == 1

    def _in_traditional(self, suggestion: Suggestion, sentence: str) -> Suggestion | None:
        """A suggestion in traditional characters; None where they are ambiguous, or nothing changes."""
        if not can_simplify():  # then the model was given traditional characters
            return None
        before = suggestion.change.source.of(sentence)
        after = restore(suggestion.replacement, before)
        if after is None or after == before:
            return None
        reason = explain(suggestion.kind, before.strip(), after.strip(), self._info.language)
        return replace(suggestion, replacement=after, explanation=traditionalize(reason))

    def _is_sure(
        self, suggestion: Suggestion, shift: int, pieces: Pieces, log_probabilities: Sequence[float], least: float
    ) -> bool:
        """Whether the model is sure how a respelled word is written.

        All tokens of the word must have at least the log probability `least`: otherwise the model knows that the word
        is wrong, but not how it is written. For a rare word, that of the threshold's eighth root, 0.98 for 0.85: such
        words are often names that the model takes for a misspelling of nothing in particular.
        """
        written = [log_probabilities[index] for index in _touching(suggestion.change.target.shift(shift), pieces)]
        return len(written) < 2 or min(written) >= (least / 8 if self._is_rare(suggestion.replacement) else least)

    def _is_rare(self, text: str) -> bool:
        """Whether there is a word of several tokens. Where tokens are characters, no word is rare."""
        return not self._tokenizer.by_character and any(
            len(self._tokenizer.encode(word)) > 1 for word in _LETTERS.findall(text)
        )

    def _is_refused(self, suggestion: Suggestion, sentence: str) -> bool:
        span = suggestion.change.source
        rest = f"{sentence[: span.start]} {sentence[span.end :]}"
        return self._is_invented(suggestion, sentence) or loses_words(span.of(sentence), suggestion.replacement, rest)

    def _is_invented(self, suggestion: Suggestion, sentence: str) -> bool:
        """Whether a suggestion brings in an address, a word of another script, or one too rare to be known."""
        replacement, longest = suggestion.replacement, self._info.longest_new_word
        # Not even a foreign word from elsewhere in the sentence: it could not be deleted there.
        before = suggestion.change.source.of(sentence)
        if "://" in replacement and "://" not in before:
            return True
        if any(span.of(replacement) not in before for span in foreign_words(replacement, self._info.language)):
            return True
        new = [word for word in _LETTERS.findall(replacement) if word not in sentence]
        # To change the capitals of a word, the model has to know even more: whether it is a name.
        most = {word: longest // 2 if word.lower() in sentence.lower() else longest for word in new}
        return bool(longest) and any(len(self._tokenizer.encode(word)) > most[word] for word in new)


def apply_suggestions(text: str, suggestions: Sequence[Suggestion]) -> str:
    """The text with the suggestions for it, which are in order."""
    written, end = [], 0
    for one in suggestions:
        written += [text[end : one.change.source.start], one.replacement]
        end = one.change.source.end
    return "".join([*written, text[end:]])


def _span_before(span: Span, suggestions: Sequence[Suggestion]) -> Span:
    """The part of a text that became `span` when the suggestions were applied."""
    positions = [_position_before(span.start, suggestions, False), _position_before(span.end, suggestions, True)]
    return Span(min(positions), max(positions))


def _position_before(position: int, suggestions: Sequence[Suggestion], is_end: bool) -> int:
    """Inside a replacement, the start or the end of what was replaced."""
    growth = 0
    for one in suggestions:
        before = one.change.source
        start = before.start + growth
        end = start + len(one.replacement)
        if position < start or (is_end and position == start):
            break
        if position < end or (is_end and position == end):
            return before.end if is_end else before.start
        growth += len(one.replacement) - len(before)
    return position - growth


def _touching(span: Span, pieces: Pieces) -> list[int]:
    """The indices of the tokens that write a span of the decoded text."""
    return [
        index
        for index, (start, end) in enumerate(zip(pieces.starts, pieces.ends, strict=True))
        if start < span.end and span.start < end
    ]


def _confidence(change: Change, shift: int, pieces: Pieces, confidences: Sequence[float]) -> float:
    """The lowest confidence of the tokens that write the change; of a deletion, that of the token behind it.

    A word that is inserted or deleted beside the same word may be another one for the decoder than for the alignment.
    Then all these tokens are copied ones, and it is the confidence of the nearest token that is not.
    """
    written = change.target.shift(shift)
    touching = _touching(written, pieces)
    if not touching:
        behind = (index for index, end in enumerate(pieces.ends) if end > written.start)
        touching = [next(behind, len(confidences) - 1)]
    least = min(confidences[index] for index in touching)
    edited = [index for index, confidence in enumerate(confidences) if confidence < 1.0]
    if least < 1.0 or not edited or (len(change.source) and len(change.target)):
        return least
    return confidences[min(edited, key=lambda index: min(abs(index - touching[0]), abs(index - touching[-1])))]
