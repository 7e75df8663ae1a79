"""A table of the forms of English words, learnt from a text: plural and third person, past, participle and so on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from redraft.edits.inflection import Form, readings

FORMS: Mapping[str, tuple[Form, ...]] = {
    "base": (Form.BASE,),
    "s": (Form.S, Form.PLURAL),
    "past": (Form.PAST,),
    "participle": (Form.PARTICIPLE,),
    "gerund": (Form.GERUND,),
    "comparative": (Form.COMPARATIVE,),
    "superlative": (Form.SUPERLATIVE,),
}
"""Names of forms. Plural and third person are one form, because most words do not tell which they are."""
_NAMES = {form: name for name, forms in FORMS.items() for form in forms}

Paradigm = Mapping[str, str]
"""The forms of one base, by name."""


@dataclass(frozen=True)
class FormTable:
    """Forms of lower-case words. Where a word has several bases, the paradigm that comes first counts."""

    paradigms: Sequence[Paradigm] = ()
    _forms: dict[str, dict[str, str]] = field(init=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        for paradigm in self.paradigms:
            for word in paradigm.values():
                known = self._forms.setdefault(word, {})
                for name, form in paradigm.items():
                    if form != word:
                        known.setdefault(name, form)

    def find(self, word: str, name: str) -> str | None:
        """A form of a word, by name."""
        return self._forms.get(word, {}).get(name)

    def list_forms(self, word: str) -> Iterable[str]:
        """Names of the forms that a word can be changed to."""
        return self._forms.get(word, {})


def learn_forms(counts: Mapping[str, int], least: int = 2) -> FormTable:
    """The table of the lower-case words that occur at least `least` times, the most frequent paradigms first."""
    found: dict[str, dict[str, str]] = {}
    for word in sorted(word for word, count in counts.items() if count >= least and word.isalpha()):
        for reading in readings(word):
            if reading.base == word or counts.get(reading.base, 0) >= least:
                paradigm, name = found.setdefault(reading.base, {}), _NAMES[reading.form]
                if counts[word] > counts.get(paradigm.get(name, ""), 0):
                    paradigm[name] = word
    useful = [paradigm for paradigm in found.values() if len(set(paradigm.values())) > 1]
    return FormTable(sorted(useful, key=lambda paradigm: -sum(counts[word] for word in set(paradigm.values()))))
