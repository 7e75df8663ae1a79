"""A source list: which sources may be used, with the licence and the credit of each. A TOML file.

The list `open` is part of Redraft: open_sources.toml, sources that anyone may use for any purpose.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

from redraft.errors import ConfigError
from redraft.settings_reader import read_settings

OPEN = "open"
"""Name of the list that is part of Redraft."""
_OPEN_FILE = Path(__file__).with_name("open_sources.toml")


@dataclass(frozen=True, slots=True)
class Source:
    title: str
    licence: str
    attribution: str
    """Whom to credit."""
    url: str = ""
    files: tuple[str, ...] = ()
    """Patterns of file names; none for a source that is no file, such as the word lists of a Python package."""
    by_repository: bool = False
    """Whether the third column of each row names its repository. Rows of repositories that the list does not name are
    left out."""


@dataclass(frozen=True, slots=True)
class SourceList:
    licence: str
    """Licence of a model that is trained on these sources."""
    sources: Mapping[str, Source]
    repositories: Mapping[str, str] = field(default_factory=dict)
    """Owner and name of a repository to its licence."""

    def __post_init__(self) -> None:
        if not self.licence.strip():
            raise ConfigError("licence is empty; give the licence of a model that is trained on these sources")
        for name, source in self.sources.items():
            for key in ("title", "licence", "attribution"):
                if not getattr(source, key).strip():
                    raise ConfigError(f"sources.{name}.{key} is empty")
        for repository, licence in self.repositories.items():
            if not licence.strip():
                raise ConfigError(f"repositories.{repository} is empty; give its licence")

    def find(self, path: Path) -> str | None:
        """Name of the source that a file belongs to, by the name of the file; None if it belongs to none."""
        for name, source in self.sources.items():
            if any(fnmatchcase(path.name, pattern) for pattern in source.files):
                return name
        return None


def read_source_list(name: str | Path) -> SourceList:
    """The list `open`, or the one in a file."""
    path = _OPEN_FILE if str(name) == OPEN else Path(name)
    try:
        return read_settings(SourceList, tomllib.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        raise ConfigError(f"{path}: no such source list; give a file, or {OPEN}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, ConfigError) as error:
        raise ConfigError(f"{path}: {error}") from None
