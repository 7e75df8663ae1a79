"""Places what the models suggest for the sentences of a text, without edits that must not or need not be made."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from dataclasses import dataclass, replace

from redraft.check.dialect_spelling import dialect_edits, respell_edit
from redraft.check.interpreter import Solution, Suggestion
from redraft.check.rule_edits import RuleSentence, contradicts
from redraft.check.solver import SentenceSolver
from redraft.edits.edit import Edit, Kind
from redraft.text.chinese_characters import simplify
from redraft.text.dialects import Dialect, are_variants
from redraft.text.protect import find_protected
from redraft.text.scripts import foreign_words
from redraft.text.spacing import Spaced
from redraft.text.span import Span, SpanSet

SURROGATE = re.compile("[\ud800-\udfff]")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f]")
_SPACES = re.compile(r"\s+")
_WORD = re.compile(r"\S+")
_WIDTHS = {0x3000: " ", 0x3002: ".", 0xFF61: ".", **{point: chr(point - 0xFEE0) for point in range(0xFF01, 0xFF5F)}}
"""Full-width characters to half-width ones; the full stop of Chinese is one of them."""
_WORD_FORM_KINDS = frozenset({Kind.SPELLING, Kind.DIALECT, Kind.CASING, Kind.AGREEMENT, Kind.VERB_FORM})
"""Errors in a word itself, whatever is between it and the next word."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A sentence, or a part of one that is too long for the model, and the model that reads it."""

    span: Span
    spaced: Spaced
    solver: SentenceSolver | None
    """None where no model knows the script: the piece stays as it is."""
    starts_sentence: bool
    ends_sentence: bool
    emoji_follows: bool = False
    """An emoji behind a sentence takes the place of a full stop."""

    def allows(self, edit: Edit) -> bool:
        """Not at a cut: there the model sees a sentence begin or end where none does, and writes capitals and stops.

        Nor, mostly, beside an emoji, which the model does not see, and which may be used as a word: I ❤ tea.
        """
        at_start, at_end = edit.span.start <= self.span.start, edit.span.end >= self.span.end
        if (at_start and not self.starts_sentence) or (at_end and not self.ends_sentence):
            return False
        if self.emoji_follows and edit.span.start >= self.span.end:  # adds a full stop
            return False
        changes_form = edit.source and edit.replacement and edit.kind in _WORD_FORM_KINDS
        return bool(changes_form) or not self._is_beside_emoji(edit.span)

    def _is_beside_emoji(self, span: Span) -> bool:
        own = span.shift(-self.span.start)
        return any(hidden.start <= own.end and own.start <= hidden.end for hidden in self.spaced.hidden)


def place_edits(
    text: str,
    pieces: Sequence[Piece],
    solutions: Sequence[Solution],
    dictionary: Container[str] = frozenset(),
    protected: SpanSet | None = None,
    dialect: Dialect | None = None,
) -> list[list[Edit]]:
    """The edits of each piece, at their places in the text, without those that must not or need not be made.

    `protected` is `protected_spans(text, dictionary)`, where the caller has it already. `dialect` is the only
    spelling accepted in the text.
    """
    placed: list[list[Edit]] = []
    floor = 0
    for piece, solution in zip(pieces, solutions, strict=True):
        edits: list[Edit] = []
        placed.append(edits)
        if piece.solver is None:
            continue
        language = piece.solver.info.language
        sentence = RuleSentence.of(text, piece.span, language)
        certain = sentence.certain_errors()
        respelled = dialect_edits(sentence.words, dialect, language, piece.starts_sentence) if dialect else []
        respelled = [replace(edit, span=edit.span.shift(piece.span.start)) for edit in respelled]
        if not solution.suggestions and not respelled and not certain:
            continue
        if protected is None:
            protected = protected_spans(text, dictionary)
        mentioned = _foreign(text, piece, language)
        for suggestion in solution.suggestions:
            edit = _place(text, piece, suggestion, floor)
            untouchable = protected.overlap(edit.span) or mentioned.overlap(edit.span)
            if untouchable or sentence.is_harmed_by(edit) or _is_variant_spelling(edit) or not piece.allows(edit):
                continue
            spelled = respell_edit(edit, dialect, language) if dialect else edit
            if spelled:
                edits.append(spelled)
                floor = edit.span.end
        made = [edit for edit in edits if edit.certain]
        rules = [match for match in certain if piece.allows(match.edit) and not contradicts(match, made)]
        # A possible error gives way to a rule, which is certain.
        edits[:] = [one for one in edits if one.certain or not any(rule.evidence.touches(one.span) for rule in rules)]
        edits[:] = _merge(edits, [*(rule.edit for rule in rules), *respelled], protected)
    return placed


def protected_spans(text: str, dictionary: Container[str] = frozenset()) -> SpanSet:
    """Parts of a text that no edit may touch: URLs, code, words of the dictionary…

    Control characters are among them, because they are invisible, and words with a lone surrogate, for which the
    model saw a stand-in.
    """
    spans = [found.span for found in find_protected(text, dictionary)]
    spans += [Span(*control.span()) for control in _CONTROL.finditer(text)]
    if SURROGATE.search(text):
        spans += [Span(*word.span()) for word in _WORD.finditer(text) if SURROGATE.search(word.group())]
    return SpanSet(spans)


def _merge(edits: list[Edit], others: list[Edit], protected: SpanSet) -> list[Edit]:
    """The model's edits, and other edits that neither they nor protected spans overlap, in order."""
    taken = SpanSet(edit.span for edit in edits)
    added = [edit for edit in others if not protected.overlap(edit.span) and not taken.overlap(edit.span)]
    return sorted([*edits, *added], key=lambda edit: edit.span) if added else edits


def _is_variant_spelling(edit: Edit) -> bool:
    """Whether the edit only changes the dialect, the width of characters or the kind of Chinese characters.

    Words in the spelling of another dialect than the chosen one are found without the model.
    """
    before, after = (simplify(text).translate(_WIDTHS) for text in (edit.source, edit.replacement))
    return before == after or are_variants(edit.source, edit.replacement)


def _foreign(text: str, piece: Piece, language: str) -> SpanSet:
    """The words of a piece in another script, such as foreign names: the model does not know how they are written."""
    return SpanSet([span.shift(piece.span.start) for span in foreign_words(piece.span.of(text), language)])


def _place(text: str, piece: Piece, suggestion: Suggestion, floor: int) -> Edit:
    """The suggestion as an edit of the whole text; nothing before `floor` or the sentence is touched."""
    span = piece.spaced.restore(suggestion.change.source).shift(piece.span.start)
    span, replacement = _keep_line_breaks(text, span, suggestion.replacement, max(floor, piece.span.start))
    return Edit(
        span,
        span.of(text),
        replacement,
        suggestion.kind,
        suggestion.confidence,
        suggestion.explanation,
        suggestion.certain,
    )


def _keep_line_breaks(text: str, span: Span, replacement: str, floor: int) -> tuple[Span, str]:
    """Keeps the white space inside an edit as it was in the text: the model saw each run of it as one space."""
    runs = _SPACES.findall(span.of(text))
    if all(run == " " for run in runs):
        return span, replacement
    spaces = iter(runs)
    kept = _SPACES.sub(lambda space: next(spaces, space.group()), replacement)
    lost = "".join(run for run in spaces if run.strip(" "))
    if lost and not kept and span.start > floor and text[span.start - 1] == " ":
        # A deleted word leaves its line break behind, and no space before it.
        span = Span(span.start - 1, span.end)
    return span, kept + lost
