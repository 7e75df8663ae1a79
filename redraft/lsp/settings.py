"""The settings of a user in the editor, as they come in the JSON of the protocol."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, ClassVar

from redraft.edits.edit import Kind
from redraft.settings_reader import OneOf, Range, read_settings
from redraft.text.markup import FORMATS
from redraft.text.scripts import AUTO

SECTION = "redraft"
OFF = "off"
"""Instead of a format: documents of this language id are not checked."""
_OF_THE_CLIENT = frozenset({"command", "languages", "trace"})
"""Settings in the same section that the editor's extension uses itself."""


def _list_formats() -> tuple[str, ...]:
    return (*FORMATS, OFF)


@dataclass(frozen=True, slots=True)
class Settings:
    """What the user set. What is left out comes from the project, the command line, the model or the defaults."""

    RENAMED_KEYS: ClassVar[Mapping[str, str]] = {"minConfidence": "threshold"}

    language: str | None = None
    """The only language to check; None also for `auto` and an empty text."""
    threshold: Annotated[float | None, Range(min=0, max=1)] = None
    kinds: frozenset[Kind] = frozenset()
    """The kinds of edits to show; empty for all."""
    ignored_kinds: frozenset[Kind] = frozenset()
    formats: Mapping[str, Annotated[str, OneOf(_list_formats)]] = field(default_factory=dict)
    """Formats by language id, or `OFF`."""
    consistent: bool | None = None
    """Whether a document may have only one of the American and the British spelling."""
    possible_errors: bool | None = None
    """Whether to show places where something is probably wrong but the correction is not certain. By default, if no
    threshold is set: they are below any."""

    def __post_init__(self) -> None:
        if self.language in ("", AUTO):
            object.__setattr__(self, "language", None)

    @classmethod
    def read(cls, values: object) -> Settings:
        """From `{"language": …, "threshold": …, "kinds": […], "ignoredKinds": […], "formats": {…}, "consistent": …,
        "possibleErrors": …}`.

        Null counts as left out. A wrong name or value is refused, and the message names it.
        """
        if isinstance(values, Mapping):
            values = {key: value for key, value in values.items() if key not in _OF_THE_CLIENT}
        return cls() if values is None else read_settings(cls, values, (SECTION,), to_camel_case)

    @property
    def shown_kinds(self) -> frozenset[Kind]:
        return (self.kinds or frozenset(Kind)) - self.ignored_kinds


def to_camel_case(name: str) -> str:
    return re.sub("_(.)", lambda match: match[1].upper(), name)
