"""The settings of a user in the editor, as they come in the JSON of the protocol."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from redraft.edits.edit import Kind
from redraft.errors import ConfigError
from redraft.text.markup import FORMATS

SECTION = "redraft"
OFF = "off"
"""Stands for a format where documents of a language id are not to be checked."""
_OF_THE_CLIENT = frozenset({"command", "languages", "trace"})
"""Settings in the same section that are meant for the editor's side."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The user's wishes. What is left None comes from the project, the command line, the model or the defaults."""

    language: str | None = None
    """Which model to use, by its language."""
    threshold: float | None = None
    kinds: frozenset[Kind] = frozenset(Kind)
    formats: Mapping[str, str] = field(default_factory=dict)
    """Language id → format, where the id alone would be read otherwise."""

    @classmethod
    def read(cls, values: object) -> Settings:
        """From `{"language": …, "threshold": …, "kinds": […], "ignoredKinds": […], "formats": {…}}`.

        Null is as good as left out. A wrong name or value is refused, and the message says which.
        """
        if values is None:
            return cls()
        if not isinstance(values, Mapping):
            raise ConfigError(f"the settings under “{SECTION}” must be an object, not {_name(values)}")
        given = {key: value for key, value in values.items() if value is not None and key not in _OF_THE_CLIENT}
        for key in given:
            if key not in _READERS:
                raise ConfigError(f"there is no setting “{SECTION}.{key}”{_suggest(key, _READERS)}")
        read = {key: _READERS[key](f"{SECTION}.{key}", value) for key, value in given.items()}
        wanted, ignored = read.get("kinds") or frozenset(Kind), read.get("ignoredKinds") or frozenset()
        return cls(
            language=read.get("language"),
            threshold=read.get("threshold"),
            kinds=wanted - ignored,
            formats=read.get("formats", {}),
        )

    @staticmethod
    def known() -> tuple[str, ...]:
        """The names of all settings."""
        return tuple(_READERS)


def _read_language(name: str, value: object) -> str | None:
    language = _text(name, value)
    return None if language in ("", "auto") else language


def _read_confidence(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ConfigError(f"“{name}” must be a number from 0 to 1, not {_name(value)}")
    return float(value)


def _read_kinds(name: str, value: object) -> frozenset[Kind]:
    if not isinstance(value, list | tuple):
        raise ConfigError(f"“{name}” must be a list of kinds, not {_name(value)}")
    known = {kind.value: kind for kind in Kind}
    for kind in value:
        if not isinstance(kind, str) or kind not in known:
            raise ConfigError(f"“{name}”: there is no kind {_name(kind)}{_suggest(str(kind), known)}")
    return frozenset(known[kind] for kind in value)


def _read_formats(name: str, value: object) -> dict[str, str]:
    if not isinstance(value, Mapping):
        raise ConfigError(f"“{name}” must be an object of language ids and formats, not {_name(value)}")
    known = (*FORMATS, OFF)
    for language_id, format in value.items():
        if format not in known:
            raise ConfigError(
                f"“{name}.{language_id}”: there is no format {_name(format)}; there are {', '.join(known)}"
            )
    return dict(value)


_READERS: Mapping[str, Any] = {
    "language": _read_language,
    "threshold": _read_confidence,
    "kinds": _read_kinds,
    "ignoredKinds": _read_kinds,
    "formats": _read_formats,
}


def _text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise ConfigError(f"“{name}” must be a text in quotes, not {_name(value)}")
    return value


def _name(value: object) -> str:
    """A value in a message: shortened, since a whole file may have landed there."""
    shown = repr(value)
    return shown if len(shown) <= 60 else f"{shown[:59]}…"


def _suggest(word: str, known: Mapping[str, Any]) -> str:
    close = difflib.get_close_matches(word, known, 1)
    return f"; did you mean “{close[0]}”?" if close else f"; there are {', '.join(known)}"
