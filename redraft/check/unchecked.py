"""Sentences that were not checked, and the reason, so that they are not mistaken for sentences without errors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from redraft.check.languages import languages_of
from redraft.text.chinese_characters import can_simplify, is_traditional
from redraft.text.scripts import is_simplified, script_name
from redraft.text.span import Span


class UncheckedReason(StrEnum):
    OTHER_LANGUAGE = "other-language"
    """No model for its script, or none for the only language to check."""
    NEEDS_OPENCC = "needs-opencc"
    """Traditional Chinese characters, without the package that converts them."""
    NO_RESULT = "no-result"
    """The model wrote no usable sentence."""


@dataclass(frozen=True, slots=True)
class Unchecked:
    """A sentence that was not checked."""

    span: Span
    reason: UncheckedReason
    message: str
    """The reason in words, which also says what to do about it where something can be done."""

    def shift(self, by: int) -> Unchecked:
        return replace(self, span=self.span.shift(by))


def find_unchecked(
    sentence: str, span: Span, model_language: str | None, checked_languages: Sequence[str], has_result: bool = True
) -> Unchecked | None:
    """Why a sentence without edits was not checked; None if it was, or if it has no words.

    `model_language` is the language of the model that read it, None if none did.
    """
    if model_language is None:
        script = script_name(sentence)
        return Unchecked(span, UncheckedReason.OTHER_LANGUAGE, _describe(script, checked_languages)) if script else None
    if is_simplified(model_language) and is_traditional(sentence) and not can_simplify():
        message = "traditional Chinese characters need OpenCC; install the extra 'zh' of redraft"
        return Unchecked(span, UncheckedReason.NEEDS_OPENCC, message)
    if not has_result:
        return Unchecked(span, UncheckedReason.NO_RESULT, "the model wrote no usable sentence")
    return None


def summarize(count: int, messages: Iterable[str]) -> str:
    """How many sentences were not checked, and why: “2 sentences were not checked: Greek text, …”."""
    sentences = f"{count:,} sentences were" if count > 1 else "1 sentence was"
    return f"{sentences} not checked: {'; '.join(dict.fromkeys(messages))}"


def _describe(script: str, checked_languages: Sequence[str]) -> str:
    names = [languages_of(code)[0].name for code in checked_languages]
    return f"{script} text, but only {' and '.join(names)} {'is' if len(names) == 1 else 'are'} checked"
