"""Languages and their countries, by the codes that clients send, such as `en-GB`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from redraft.text.dialects import Dialect, dialect_of
from redraft.text.language_tags import parse_tag
from redraft.text.scripts import AUTO, detect_language

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
_OTHER_NAMES = {
    "ar": "Arabic",
    "be": "Belarusian",
    "ca": "Catalan",
    "da": "Danish",
    "de": "German",
    "el": "Greek",
    "eo": "Esperanto",
    "es": "Spanish",
    "fa": "Persian",
    "fr": "French",
    "ga": "Irish",
    "gl": "Galician",
    "it": "Italian",
    "ja": "Japanese",
    "km": "Khmer",
    "nl": "Dutch",
    "pl": "Polish",
    "pt": "Portuguese",
    "ro": "Romanian",
    "ru": "Russian",
    "sk": "Slovak",
    "sl": "Slovenian",
    "sv": "Swedish",
    "ta": "Tamil",
    "tl": "Tagalog",
}
"""Of languages that there is no model for."""


@dataclass(frozen=True, slots=True)
class Language:
    name: str
    code: str
    """Without the country."""
    long_code: str

    @property
    def dialect(self) -> Dialect | None:
        """The only spelling accepted; None where both the American and the British one are."""
        return _dialect_of(self.long_code)


@lru_cache(maxsize=64)
def _dialect_of(long_code: str) -> Dialect | None:
    return dialect_of(long_code)


def languages_of(*models: str) -> tuple[Language, ...]:
    """The languages that models for these language codes correct, each followed by its variants."""
    return tuple(language for model in models for language in _languages_of_one(model))


def mother_tongues(*models: str) -> tuple[Language, ...]:
    """Languages that writers may have as their own and that none of the models corrects."""
    checked, names = {model.lower() for model in models}, _NAMES | _OTHER_NAMES
    return tuple(Language(name, code, code) for code, name in sorted(names.items()) if code not in checked)


def _languages_of_one(model: str) -> tuple[Language, ...]:
    code = model.lower()
    variants = _VARIANTS.get(code, {})
    plain = Language(_NAMES.get(code, model), code, code)
    return (plain, *(Language(name, code, long_code) for long_code, name in variants.items()))


def is_auto(code: str) -> bool:
    """Whether the code asks to detect the language of each sentence."""
    return code.strip().lower() == AUTO


def find_language(code: str, *models: str, text: str = "") -> Language | None:
    """The language of a code, in any case and with any country; None if there is no model for it.

    For `auto` it is the language of most of `text`; if none is detected, that of the first model.
    """
    if is_auto(code):
        return _languages_of_one(detect_language(text, models) or models[0])[0]
    wanted, known = parse_tag(code), languages_of(*models)
    exact = next((language for language in known if parse_tag(language.long_code) == wanted), None)
    return exact or next((language for language in known if language.long_code == wanted.language), None)
