"""What a project has settled: `redraft.toml`, or `[tool.redraft]` in `pyproject.toml`, found upwards.

A setting has the name of the option it stands for; the command line goes before the project.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, get_args, get_type_hints

from redraft.errors import ConfigError
from redraft.files.text_file import read as read_text
from redraft.settings.options import ModelOptions, TextOptions

REDRAFT, PYPROJECT = "redraft.toml", "pyproject.toml"
MARKUP = "markup"
"""On the command line one format; in a project a table from patterns to formats."""
_ONLY_COMMAND_LINE = {"stdin_filename", "config", "isolated", MARKUP}
_ADDED_UP = {"dictionary", "exclude", "ignore"}
"""Lists to which the command line adds; other settings of a project it replaces."""

Options = TypeVar("Options", ModelOptions, TextOptions)


class Setting(NamedTuple):
    """What a value must be like."""

    type: type
    is_list: bool
    least: float | None
    most: float | None


@dataclass(frozen=True, slots=True)
class Configuration:
    """The settings of a project, by the names of options; without a path there is none."""

    path: Path | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    markup: Mapping[str, str] = field(default_factory=dict)
    """Patterns, written as in .gitignore, and the formats of files that fit; the last that fits counts."""

    @property
    def folder(self) -> Path | None:
        return self.path.parent if self.path else None

    def fill(self, options: Options) -> Options:
        """The options, with the project's settings where the command line says nothing."""
        changes = {}
        for option in fields(options):
            said: Any = getattr(options, option.name)
            settled: Any = self.settings.get(option.name)
            if settled is not None and said is None:
                changes[option.name] = settled
            elif settled is not None and option.name in _ADDED_UP:
                changes[option.name] = [*settled, *said]
        return replace(options, **changes)


def find(folder: Path) -> Configuration:
    """The settings that hold in a folder: its own or the nearest above it, up to the root of the repository."""
    for place in (folder, *folder.parents):
        if (own := place / REDRAFT).is_file():
            return read(own)
        if (shared := place / PYPROJECT).is_file():
            found = read(shared)
            if found.path:
                return found
        if (place / ".git").exists():
            break
    return Configuration()


def read(path: Path) -> Configuration:
    """Reads a file of settings. A pyproject.toml that does not speak of Redraft settles nothing."""
    text = read_text(path).text
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path} is not valid TOML: {error}") from None
    if path.name == PYPROJECT:
        tools = table.get("tool", {})
        if not isinstance(tools, dict) or "redraft" not in tools:
            return Configuration()
        table = tools["redraft"]
        if not isinstance(table, dict):
            raise ConfigError(f"{path}: tool.redraft must be a table")
    return _Reader(path.absolute(), text).read(table)


@dataclass(frozen=True, slots=True)
class _Reader:
    path: Path
    text: str

    def read(self, table: Mapping[str, Any]) -> Configuration:
        known = {name.replace("_", "-"): setting for name, setting in _settings().items()}
        found = {}
        for key, value in table.items():
            if key == MARKUP:
                continue
            if key not in known:
                raise self._mistake(key, f"there is no setting {key!r}{_suggest(key, [*known, MARKUP])}")
            found[key.replace("-", "_")] = self._check(key, value, known[key])
        return Configuration(self.path, self._placed(found), self._markup(table.get(MARKUP, {})))

    def _check(self, key: str, value: Any, setting: Setting) -> Any:
        values = value if setting.is_list and isinstance(value, list) else [value]
        wanted = (int, float) if setting.type is float else str if setting.type is Path else setting.type
        fits = all(isinstance(each, wanted) and not isinstance(each, bool) for each in values)
        if not fits or isinstance(value, list) != setting.is_list:
            raise self._mistake(key, f"{key} must be {_name(setting)}")
        for each in values:
            if (setting.least is not None and each < setting.least) or (
                setting.most is not None and each > setting.most
            ):
                limits = f"at least {setting.least}" + (f" and at most {setting.most}" if setting.most else "")
                raise self._mistake(key, f"{key} must be {limits}, not {each}")
        return [setting.type(each) for each in values] if setting.is_list else setting.type(value)

    def _placed(self, found: dict[str, Any]) -> dict[str, Any]:
        """Paths are meant from where the file lies, wherever the command runs."""
        folder = self.path.parent
        if "dictionary" in found:
            found["dictionary"] = [folder / path for path in found["dictionary"]]
        if (folder / (model := found.get("model", ""))).is_dir() and model:
            found["model"] = str(folder / model)
        return found

    def _markup(self, table: Any) -> dict[str, str]:
        if not isinstance(table, dict) or not all(isinstance(format, str) for format in table.values()):
            raise self._mistake(MARKUP, 'markup must be a table from patterns to formats, such as "*.txt" = "markdown"')
        from redraft.text.markup import FORMATS

        for format in table.values():
            if format not in FORMATS:
                names = f"{_suggest(format, FORMATS)}; there are {', '.join(FORMATS)}"
                raise self._mistake(format, f"no format is called {format!r}{names}")
        return dict(table)

    def _mistake(self, word: str, message: str) -> ConfigError:
        """With the line the word first stands on, which the parser does not tell."""
        lines = self.text.split("\n")
        stands = re.compile(rf"(?!\s*#).*(?<![\w-]){re.escape(word)}(?![\w-])")
        line = next((f":{number}" for number, line in enumerate(lines, start=1) if stands.match(line)), "")
        return ConfigError(f"{self.path}{line}: {message}")


def _settings() -> dict[str, Setting]:
    """Read off the options, so that nothing is said twice."""
    found = {}
    for group in (ModelOptions, TextOptions):
        for name, hint in get_type_hints(group, include_extras=True).items():
            if name not in _ONLY_COMMAND_LINE:
                kind, option = get_args(hint)
                kind = next(each for each in get_args(kind) if each is not type(None))
                inner = get_args(kind)
                found[name] = Setting(inner[0] if inner else kind, bool(inner), option.min, option.max)
    return found


def _suggest(word: str, known: Any) -> str:
    close = get_close_matches(word, known, n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def _name(setting: Setting) -> str:
    one = {str: "a text in quotes", Path: "a path in quotes", int: "a whole number", float: "a number"}[setting.type]
    return f"a list, each {one}" if setting.is_list else one
