"""Turns decoder output into suggestions, each with its kind, confidence and explanation."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from redraft.check.reading import Form, Reading
from redraft.check.word_correction import WordCorrection
from redraft.decode.loop import Decoded, Limits
from redraft.decode.trace import SentenceTrace, trace_sentence
from redraft.edits.agreement import exchanges_subject
from redraft.edits.align import Change, align
from redraft.edits.caution import CONTENT_ROOT, SHORTEST_MISSPELLING, is_sure_alone, misspelling_power, required_root
from redraft.edits.classify import classify
from redraft.edits.edit import Kind
from redraft.edits.explain import explain
from redraft.edits.lost_words import loses_words
from redraft.edits.offensive import adds_offensive_word
from redraft.edits.pronoun_pairs import find_wrong_pairs
from redraft.edits.rules import find_new_errors
from redraft.model.folder import ModelInfo
from redraft.model.known_words import KnownWords
from redraft.text.language_tags import parse_tag
from redraft.text.scripts import foreign_words
from redraft.text.spacing import Spaced, attaches_marks, join_marks, normalize
from redraft.text.span import Span
from redraft.tokens.tokenizer import Pieces, Tokenizer

STAND_IN = "\ufffd"
"""Replaces a character that has no UTF-8 form."""
_MOST_UNKNOWN_IN_CAPITALS = 3
_LETTERS = re.compile(r"[^\W\d_]+")
_PLAIN_WORD = re.compile(rf"(?<![\w'’./@#-])[^\W\d_]{{{SHORTEST_MISSPELLING},}}(?![\w'’/@#-]|\.\w)")
"""A word that is no part of an address, a compound or code."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """An edit inside one normalized sentence, before it has a place in a text."""

    change: Change
    replacement: str
    kind: Kind
    confidence: float
    explanation: str
    certain: bool = True
    """As in `Edit`."""


@dataclass(frozen=True, slots=True)
class Solution:
    """The suggestions of a model for one normalized sentence."""

    suggestions: tuple[Suggestion, ...]
    trace: SentenceTrace
    is_usable: bool = True
    """False if the model's output ran into the length limit or is not UTF-8."""
    left_out: Limits = field(default_factory=dict)
    """Where edits were left out. What the model wrote behind them may depend on them."""
    tries: tuple[SentenceTrace, ...] = ()
    """How the same text was decoded before, with the edits that are left out."""
    kept: tuple[int, ...] | None = ()
    """Places of the tokens of the corrected text for which the model would rather have written another one; None if
    they are not known."""
    withheld: Suggestion | None = None
    """The only edit of a sentence, if it is not sure enough to be made. It is a possible error."""


class Interpreter:
    """Prepares sentences for one model, and reads its output."""

    def __init__(self, tokenizer: Tokenizer, info: ModelInfo, known_words: KnownWords | None = None) -> None:
        self._tokenizer = tokenizer
        self._info = info
        self._known_words = known_words
        self.is_english = parse_tag(info.language).language == "en"

    def read(self, sentence: str) -> Reading:
        return Reading.of(sentence, self._info.language)

    def find_unknown(self, text: str) -> list[Span]:
        """The words of a sentence that no text has. Words with capitals may be names, except the first word."""
        if self._known_words is None:
            return []
        return [
            Span(*match.span())
            for match in _PLAIN_WORD.finditer(text)
            if self._is_unknown(match.group()) or (_begins(text, match) and self._is_unknown(match.group().lower()))
        ]

    def find_unknown_in_small_letters(self, text: str) -> list[Span]:
        """Those of the unknown words that cannot be names."""
        return _in_small_letters(text, self.find_unknown(text))

    def find_misspelt(self, text: str, ids: Sequence[int], unknown: Sequence[Span]) -> list[int]:
        """The places of the tokens of unknown words in small letters, among the tokens of a text. An edit that begins
        there needs less than elsewhere."""
        small = _in_small_letters(text, unknown)
        pieces = self._tokenizer.pieces(ids) if small else None
        return [place for span in small for place in pieces.overlapping(span.start, span.end)] if pieces else []

    def _is_unknown(self, word: str) -> bool:
        """Whether a word in small letters is in no text the model was trained on, nor is its singular."""
        if self._known_words is None or not word.islower():
            return False
        return not any(form in self._known_words for form in (word, *_singulars(word)))

    def interpret(
        self, source: str, decoded: Decoded, policy: str, threshold: float = 0.0, shows_names: bool = True
    ) -> Solution:
        """The edits between the text that the model was given and the decoded one.

        The threshold of the decoder loop is for the first token of an edit. Some edits must be surer (`_required`).
        `shows_names` is that of the reading.
        """
        text = self._tokenizer.decode(decoded.ids)
        # An output that ran into the length limit, or that is not UTF-8, is not used: the sentence stays as it is.
        usable = decoded.finished and text.count(STAND_IN) <= source.count(STAND_IN)
        written = self._normalize_output(source, text) if usable else Spaced.unchanged(source)
        target = written.text
        trace = trace_sentence(source, target, policy, decoded, self._tokenizer.decode)
        if not usable:
            return Solution((), trace, is_usable=False)
        if target == source:
            return Solution((), trace, kept=decoded.kept if target == text.strip() else None)
        output = _Output(self._tokenizer.pieces(decoded.ids), decoded, written)
        least = math.log(threshold) if threshold > 0 else -math.inf
        found: list[Suggestion] = []
        left_out: list[tuple[Span, float]] = []
        wrong = find_wrong_pairs(source, target)
        if self.is_english:
            wrong += find_new_errors(source, target)
        for change in align(source, target):
            one = self._suggest(source, target, change, output.confidence(change))
            refused = self._is_refused(one, source) or any(span.overlaps(change.target) for span in wrong)
            needed = math.inf if refused else self._required(one, source, output, least, shows_names)
            if needed is None:
                found.append(one)
            else:
                left_out.append((change.source, needed))
        # Changes without a space between them are one edit of the model: half of it would be wrong.
        halved = [span for span, _ in left_out if span]
        whole = [one for one in found if not any(one.change.source.touches(span) for span in halved)]
        return Solution(tuple(whole), trace, left_out=self._limit_tokens(source, left_out) if left_out else {})

    def _normalize_output(self, source: str, text: str) -> Spaced:
        """What the model wrote, with single spaces, and in English without spaces before marks if the source has marks
        without them: the model knows tokenized text too."""
        target = normalize(text).text
        if self.is_english and target != source and attaches_marks(source):
            return join_marks(target)
        return Spaced.unchanged(target)

    def find_changes(self, source: str, decoded: Decoded, spans: Sequence[Span]) -> list[Suggestion]:
        """The edits of a decoded text that touch some spans of the source, as possible errors."""
        text = self._tokenizer.decode(decoded.ids)
        if not decoded.finished or text.count(STAND_IN) > source.count(STAND_IN):
            return []
        written = self._normalize_output(source, text)
        target = written.text
        output = _Output(self._tokenizer.pieces(decoded.ids), decoded, written)
        found = [
            replace(self._suggest(source, target, change, output.confidence(change)), certain=False)
            for change in align(source, target)
            if any(span.touches(change.source) for span in spans)
        ]
        return [one for one in found if not self._is_refused(one, source)]

    def correct_words(self, source: str, corrections: Sequence[WordCorrection]) -> tuple[Suggestion, ...]:
        """The suggestions that write other words; corrections are in the order of the text."""
        target = source
        for one in reversed(corrections):
            target = target[: one.span.start] + one.word + target[one.span.end :]
        found: list[Suggestion] = []
        growth = 0
        for one in corrections:
            start = one.span.start + growth
            change = Change(one.span, Span(start, start + len(one.word)))
            growth += len(one.word) - len(one.span)
            found.append(self._suggest(source, target, change, one.confidence))
        return tuple(one for one in found if not self._is_refused(one, source))

    def combine(self, reading: Reading, passes: Sequence[Solution]) -> Solution:
        """One solution for a sentence from those of its passes, of which each corrects the text of the one before."""
        if len(passes) == 1 and not (passes[0].tries or passes[0].left_out or reading.is_converted):
            return passes[0]
        changing = [one for one in passes if one.suggestions]
        suggestions = list(changing[0].suggestions) if changing else []
        if len(changing) > 1:
            suggestions = self._combine_edits(reading.seen, [one.suggestions for one in changing])
        if reading.is_converted:
            suggestions = [written for one in suggestions if (written := self._restore(one, reading))]
        first, *repeats = [trace for one in passes for trace in (*one.tries, one.trace)]
        trace = replace(first, repeats=tuple(repeats))
        return Solution(tuple(suggestions), trace, passes[0].is_usable, kept=passes[-1].kept)

    def withhold(self, sentence: str, solution: Solution, threshold: float) -> Solution:
        """The solution of a sentence without its only edit, if that is not sure (`is_sure_alone`).

        Where tokens are characters, all edits are sure.
        """
        if len(solution.suggestions) != 1 or self._tokenizer.by_character:
            return solution
        (one,) = solution.suggestions
        if is_sure_alone(one.kind, one.change.source.of(sentence), one.replacement, one.confidence, threshold):
            return solution
        return replace(solution, suggestions=(), kept=None, withheld=one)

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
        return self._restore(suggestion, reading) if reading.is_converted else suggestion

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

    def _restore(self, suggestion: Suggestion, reading: Reading) -> Suggestion | None:
        """A suggestion in the form of the sentence; None where that is ambiguous, or nothing changes."""
        change = suggestion.change.source
        if (
            reading.form is Form.CAPITALS
            and suggestion.kind is Kind.PUNCTUATION
            and change.end == len(reading.sentence)
        ):
            return None  # a text in capitals may be a title, which has no full stop
        before = change.of(reading.sentence)
        after = reading.restore(suggestion.replacement, before)
        if after is None or after == before:
            return None
        reason = suggestion.explanation
        if reading.form is Form.TRADITIONAL:
            reason = explain(suggestion.kind, before.strip(), after.strip(), self._info.language)
        return replace(suggestion, replacement=after, explanation=reading.restore_explanation(reason))

    def _required(
        self, suggestion: Suggestion, source: str, output: _Output, least: float, shows_names: bool
    ) -> float | None:
        """None if an edit whose first token has at least the log-probability `least` is sure enough; else what an edit
        at the same place needs.

        Edits that put other words must be surer (`required_root`). A respelled word must reach `least` with all its
        tokens: otherwise the model knows that the word is wrong, but not how it is written. If it is rare, it must be
        as sure as another word: it is often a name that the model takes for a misspelling of nothing in particular.
        Where tokens are characters, no edit must be surer than others.
        """
        old = suggestion.change.source.of(source)
        if not suggestion.replacement.strip() and any(map(self._is_unknown, _PLAIN_WORD.findall(old))):
            return math.inf  # a misspelt word is not redundant
        if not shows_names and any(map(self._is_unknown, _PLAIN_WORD.findall(old.lower()))):
            return self._required_of_name(suggestion, source, least)
        if suggestion.kind is Kind.SPELLING and self._is_unknown(old):
            return self._required_of_misspelling(suggestion, old, output, least)
        root = 1 if self._tokenizer.by_character else required_root(suggestion.kind, old, suggestion.replacement)
        if suggestion.confidence < math.exp(least / root):
            return least / root
        if suggestion.kind is not Kind.SPELLING:
            return None
        needed = least / CONTENT_ROOT if self._is_rare(suggestion.replacement) else least
        return math.inf if output.least_of_several(suggestion.change) < needed else None

    def _required_of_name(self, suggestion: Suggestion, source: str, least: float) -> float | None:
        """The same for a word that no text has, where names look like other words: it may be one of them. A sentence
        with more such words is a row of codes or names."""
        if sum(map(self._is_unknown, _PLAIN_WORD.findall(source.lower()))) > _MOST_UNKNOWN_IN_CAPITALS:
            return math.inf
        needed = least / CONTENT_ROOT
        return None if math.log(suggestion.confidence) >= needed else needed

    def _required_of_misspelling(self, suggestion: Suggestion, old: str, output: _Output, least: float) -> float | None:
        """The same for a respelling of a word that no text has, which is nearly always a misspelling.

        The fewer letters of it were wrong, the less sure of the known word must the model be. A word that no text has
        either is no correction.
        """
        new = suggestion.replacement
        if _PLAIN_WORD.fullmatch(new) and self._is_unknown(new):
            return math.inf
        needed = misspelling_power(old, new) * least
        if min(output.least_of_several(suggestion.change), math.log(suggestion.confidence)) >= needed:
            return None
        return least / CONTENT_ROOT

    def _limit_tokens(self, source: str, left_out: Sequence[tuple[Span, float]]) -> Limits:
        """For the tokens of the source in some spans and at their ends, what an edit that begins there needs."""
        pieces = self._tokenizer.pieces(self._tokenizer.encode(source))
        return {
            index: needed
            for span, needed in left_out
            for index, (start, end) in enumerate(zip(pieces.starts, pieces.ends, strict=True))
            if start <= span.end and span.start <= end
        }

    def _is_rare(self, text: str) -> bool:
        """Whether there is a word of several tokens. Where tokens are characters, no word is rare."""
        return not self._tokenizer.by_character and any(
            len(self._tokenizer.encode(word)) > 1 for word in _LETTERS.findall(text)
        )

    def _is_refused(self, suggestion: Suggestion, sentence: str) -> bool:
        span = suggestion.change.source
        old, new = span.of(sentence), suggestion.replacement
        rest = f"{sentence[: span.start]} {sentence[span.end :]}"
        return (
            self._is_invented(suggestion, sentence)
            or adds_offensive_word(old, new)
            or loses_words(old, new, rest)
            or exchanges_subject(old, new, sentence[span.end :])
        )

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


def _singulars(word: str) -> Iterator[str]:
    """What a word would be the plural of."""
    if word.endswith("s"):
        yield word.removesuffix("s")
    if word.endswith("ies"):
        yield word.removesuffix("ies") + "y"


def _in_small_letters(text: str, words: Sequence[Span]) -> list[Span]:
    return [span for span in words if span.of(text).islower()]


def _begins(text: str, match: re.Match[str]) -> bool:
    """Whether a word with one capital, its first letter, is the first word of a text."""
    word = match.group()
    return word[0].isupper() and word[1:].islower() and not _LETTERS.search(text, 0, match.start())


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


class _Output:
    """The decoded text, its tokens, and how sure the model was of them."""

    def __init__(self, pieces: Pieces, decoded: Decoded, target: Spaced) -> None:
        """`target` has the offsets of the normalized text, whose spaces before marks may have been removed."""
        self._pieces = pieces
        self._decoded = decoded
        self._target = target
        self._shift = len(pieces.text) - len(pieces.text.lstrip())
        """Spaces at the start, which the normalized target does not have."""

    def least_of_several(self, change: Change) -> float:
        """The lowest log-probability of the tokens that write a change; 0 if there is only one."""
        written = [self._decoded.log_probabilities[index] for index in self._touching(change)]
        return min(written) if len(written) > 1 else 0.0

    def confidence(self, change: Change) -> float:
        """The lowest confidence of the tokens that write a change; of a deletion, that of the token behind it.

        A word that is inserted or deleted beside the same word may be another one for the decoder than for the
        alignment. Then all these tokens are copied ones, and it is the confidence of the nearest token that is not.
        """
        confidences = self._decoded.confidences
        touching = self._touching(change)
        if not touching:
            start = self._target.restore(change.target).start + self._shift
            behind = (index for index, end in enumerate(self._pieces.ends) if end > start)
            touching = [next(behind, len(confidences) - 1)]
        least = min(confidences[index] for index in touching)
        edited = [index for index, confidence in enumerate(confidences) if confidence < 1.0]
        if least < 1.0 or not edited or (len(change.source) and len(change.target)):
            return least
        return confidences[min(edited, key=lambda index: min(abs(index - touching[0]), abs(index - touching[-1])))]

    def _touching(self, change: Change) -> list[int]:
        """The indices of the tokens that write a change."""
        span = self._target.restore(change.target).shift(self._shift)
        return self._pieces.overlapping(span.start, span.end)
