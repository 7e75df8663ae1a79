"""Languages and their variants, by the codes that clients send."""

from __future__ import annotations

from dataclasses import dataclass

from redraft.text.dialects import Dialect
from redraft.text.scripts import AUTO, detect

_NAMES = {"en": "English", "uk": "Ukrainian", "zh": "Chinese"}
_VARIANTS = {
    "en": {
        "en-US": "English (US)",
        "en-GB": "English (GB)",
        "en-AU": "English (Australian)",
        "en-CA": "English (Canadian)",
        "en-NZ": "English (New Zealand)",
        "en-ZA": "English (South African)",
    },
    "zh": {"zh-CN": "Chinese"},
}


@dataclass(frozen=True, slots=True)
class Language:
    name: str
    code: str
    """Without the country."""
    long_code: str

    @property
    def dialect(self) -> Dialect | None:
        """Whose spellings are wanted; None where either is right."""
        return next((dialect for dialect in Dialect if dialect == self.long_code), None)


def languages_of(*models: str) -> tuple[Language, ...]:
    """What models of these languages take: the languages and their variants."""
    return tuple(language for model in models for language in _languages_of_one(model))


def _languages_of_one(model: str) -> tuple[Language, ...]:
    code = model.lower()
    variants = _VARIANTS.get(code, {})
    plain = Language(_NAMES.get(code, model), code, code)
    return (plain, *(Language(name, code, long_code) for long_code, name in variants.items()))


def is_auto(code: str) -> bool:
    """Is each sentence to tell its language by itself?"""
    return code.strip().lower() == AUTO


def find_language(code: str, *models: str, text: str = "") -> Language | None:
    """The language of a code, in any case and with any country; None if no model speaks it.

    Of `auto` it is the language that most of the text is written in, else that of the first model.
    """
    if is_auto(code):
        return _languages_of_one(detect(text, models) or models[0])[0]
    wanted = code.strip().lower().replace("_", "-")
    known = languages_of(*models)
    exact = next((language for language in known if language.long_code.lower() == wanted), None)
    return exact or next((language for language in known if language.long_code == wanted.split("-")[0]), None)
