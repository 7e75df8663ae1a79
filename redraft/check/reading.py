"""A sentence as a model reads it: traditional characters as simplified ones, capital letters as small ones."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto

from redraft.text.capitals import is_in_capitals, lower
from redraft.text.chinese_characters import can_simplify, is_traditional, restore, simplify, traditionalize
from redraft.text.scripts import is_simplified

_QUOTED = re.compile(r"“[^”]*”")


class Form(Enum):
    """How a sentence is written."""

    USUAL = auto()
    """As the model knows it."""
    TRADITIONAL = auto()
    """In traditional characters, of which models of simplified Chinese know few."""
    CAPITALS = auto()
    """In capital letters, which no model was trained on."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A normalized sentence, and the text of the same length that the model is given."""

    sentence: str
    seen: str
    form: Form = Form.USUAL

    @classmethod
    def of(cls, sentence: str, language: str) -> Reading:
        """How a model of this language reads a sentence."""
        if is_simplified(language) and is_traditional(sentence):
            return cls(sentence, simplify(sentence), Form.TRADITIONAL)
        if is_in_capitals(sentence):
            return cls(sentence, lower(sentence, language), Form.CAPITALS)
        return cls(sentence, sentence)

    @property
    def is_converted(self) -> bool:
        """Whether the model is given another text than the sentence."""
        return self.form is not Form.USUAL

    @property
    def shows_names(self) -> bool:
        """Whether capital letters tell names from other words in the text that the model is given."""
        return self.form is not Form.CAPITALS

    def convert(self, replacement: str) -> str:
        """A replacement in the sentence, as it is in the text that the model is given."""
        if self.form is Form.TRADITIONAL:
            return simplify(replacement)
        return replacement.lower() if self.form is Form.CAPITALS else replacement

    def restore(self, replacement: str, before: str) -> str | None:
        """What the model wrote for `before`, a part of the sentence, in the form of the sentence; None where that is
        ambiguous."""
        if self.form is Form.TRADITIONAL:  # without OpenCC, the model was given traditional characters
            return restore(replacement, before) if can_simplify() else None
        return replacement.upper() if self.form is Form.CAPITALS else replacement

    def restore_explanation(self, explanation: str) -> str:
        """An explanation with its words in the form of the sentence."""
        if self.form is Form.TRADITIONAL:
            return traditionalize(explanation)
        if self.form is Form.CAPITALS:
            return _QUOTED.sub(lambda quoted: quoted.group().upper(), explanation)
        return explanation
