"""Other replacements for the suggestions of a sentence, from the model's next choices at the same places."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from redraft.check.interpreter import Interpreter, Suggestion
from redraft.check.reading import Reading
from redraft.decode.alternatives import Passage, other_targets
from redraft.decode.stepper import Engine
from redraft.edits.edit import Edit
from redraft.text.spacing import normalize
from redraft.text.span import Span
from redraft.tokens.tokenizer import Tokenizer

MOST_ALTERNATIVES = 3
"""Replacements of a finding, the model's own first choice included."""
_FLOOR = 0.02
"""The least probability of another replacement."""


@dataclass(frozen=True, slots=True)
class Alternative:
    """A replacement for the text of a finding, and how sure the model is of it."""

    replacement: str
    confidence: float


def collect(edits: Sequence[Edit], variants: Iterable[Sequence[Edit]]) -> list[tuple[Alternative, ...]]:
    """The alternatives of each edit: its own replacement, and those of edits of the variants with the same span.

    Variants are the edits of the same text with one suggestion reworded, the likeliest first.
    """
    found = [{edit.replacement: edit.confidence} for edit in edits]
    places = {edit.span: place for place, edit in enumerate(edits)}
    for variant in variants:
        for edit in variant:
            place = places.get(edit.span)
            if place is not None and len(found[place]) < MOST_ALTERNATIVES:
                found[place].setdefault(edit.replacement, edit.confidence)
    return [tuple(Alternative(*one) for one in replacements.items()) for replacements in found]


Rewordings = tuple[tuple[Suggestion, ...], ...]
"""For each suggestion of a sentence, others that replace the same text."""


def reword_suggestions(
    engine: Engine, tokenizer: Tokenizer, interpreter: Interpreter, reading: Reading, suggestions: Sequence[Suggestion]
) -> Rewordings:
    """For each suggestion, others that replace the same text, the likeliest first.

    All other suggestions are taken as accepted: what is written at one place may depend on another.
    """
    written = [reading.convert(one.replacement) for one in suggestions]
    target = _Target(reading.seen, suggestions, written)
    ids = tokenizer.encode(target.text)
    if tokenizer.decode(ids) != target.text:
        return tuple(() for _ in suggestions)
    ends = tokenizer.pieces(ids).ends
    passages = [_find_passage(span, target.text, ends) for span in target.spans]
    found = other_targets(engine, tokenizer.encode(reading.seen), ids, passages, tokenizer, _FLOOR)
    reworded = []
    for place, others in enumerate(found):
        accepted: dict[str, Suggestion] = {}
        for other in others:
            replacement = target.read_other(place, normalize(tokenizer.decode(other.ids)).text)
            if replacement is None:
                continue
            suggestion = replace(suggestions[place], replacement=replacement, confidence=other.probability)
            shown = interpreter.accept(reading, suggestion)
            if shown and shown.replacement != suggestions[place].replacement:
                accepted.setdefault(shown.replacement, shown)
        reworded.append(tuple(accepted.values()))
    return tuple(reworded)


class _Target:
    """A sentence with all suggestions applied."""

    def __init__(self, source: str, suggestions: Sequence[Suggestion], replacements: Sequence[str]) -> None:
        self._source = source
        self._changes = [one.change.source for one in suggestions]
        self._replacements = replacements
        self.spans: list[Span] = []
        """Where each replacement is in the text."""
        self.text = ""
        end = 0
        for change, replacement in zip(self._changes, replacements, strict=True):
            start = len(self.text) + change.start - end
            self.text += source[end : change.start] + replacement
            self.spans.append(Span(start, len(self.text)))
            end = change.end
        self.text += source[end:]

    def read_other(self, place: int, text: str) -> str | None:
        """The replacement that another target has at one place; None if the targets differ elsewhere.

        Also None if the other target has the source text there and at a place next to it: without the suggestion for
        that place, the replacement would write its text twice.
        """
        span = self.spans[place]
        before, behind = self.text[: span.start], self.text[span.end :]
        if len(text) < len(before) + len(behind) or not (text.startswith(before) and text.endswith(behind)):
            return None
        neighbours = [other for other in (place - 1, place + 1) if self._touch(place, other)]
        if any(text == self._without({place, other}) for other in neighbours):
            return None
        return text[len(before) : len(text) - len(behind)]

    def _touch(self, place: int, other: int) -> bool:
        if not 0 <= other < len(self._changes):
            return False
        first, second = (self._changes[index] for index in sorted((place, other)))
        return not self._source[first.end : second.start].strip()

    def _without(self, places: set[int]) -> str:
        """The text without some of the suggestions."""
        written, end = "", 0
        for place, change in enumerate(self._changes):
            if place not in places:
                written += self._source[end : change.start] + self._replacements[place]
                end = change.end
        return written + self._source[end:]


def _find_passage(span: Span, text: str, ends: Sequence[int]) -> Passage:
    """The tokens that write a span, with the space before it; for a deletion, the place of the token behind it."""
    first = span.start - text[: span.start].endswith(" ")
    start = next((index for index, end in enumerate(ends) if end > first), len(ends))
    end = next((index + 1 for index, end in enumerate(ends) if end >= span.end), len(ends))
    return Passage(start, max(start, end) if span else start)
