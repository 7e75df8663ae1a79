"""The settings of a project: `redraft.toml`, or `[tool.redraft]` in `pyproject.toml`, searched for in parent folders.

A setting has the name of its command-line option; an option given on the command line has priority.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Container, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, TypeVar, get_type_hints

from redraft.errors import ConfigError, InputError, one_line
from redraft.files.text_file import LARGEST_DICTIONARY
from redraft.files.text_file import read as read_text
from redraft.limited_file import check_file, project_root
from redraft.settings.options import ModelOptions, TextOptions, list_formats
from redraft.settings_reader import OneOf, SettingError, read_values

REDRAFT, PYPROJECT = "redraft.toml", "pyproject.toml"
INPUT_FORMAT = "input-format"
"""On the command line one format; in a project a table of patterns and formats."""
POSSIBLE_ERRORS = "possible-errors"
"""On the command line an option of one command."""
MOST_BYTES = 1 << 18
"""The largest settings file that is read."""
_LONG_KEY = re.compile(
    r"""(?<![\w-])(?:(?:[A-Za-z0-9_-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){99}""",
)
_ONLY_COMMAND_LINE = {"stdin_filename", "config", "isolated", "input_format"}
_ADDED_UP = {"dictionary", "exclude", "ignore"}
"""Lists to which the command line adds; other settings it replaces."""
_RENAMED = MappingProxyType({"markup": INPUT_FORMAT, "min-confidence": "threshold"})

Options = TypeVar("Options", ModelOptions, TextOptions)


@dataclass(frozen=True, slots=True)
class Configuration:
    """The settings of a project, by the names of options; empty where no file was found."""

    path: Path | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    input_formats: Mapping[str, str] = field(default_factory=dict)
    """Patterns, written as in .gitignore, and the formats of files that match; the last that matches is used."""
    named_by_user: bool = False
    """Whether the user named the file, with --config. A file that was searched for may be a stranger's."""

    @property
    def folder(self) -> Path | None:
        return self.path.parent if self.path else None

    @property
    def possible_errors(self) -> bool | None:
        """Whether possible errors are shown; None where the project says nothing about it."""
        return self.settings.get("possible_errors")

    def fill(self, options: Options) -> Options:
        """The options, with the project's settings where the command line sets nothing.

        Raises a `ConfigError` where the project names a dictionary that it may not name.
        """
        if isinstance(options, ModelOptions):
            self._check_dictionaries()
        changes = {}
        for option in fields(options):
            given: Any = getattr(options, option.name)
            setting: Any = self.settings.get(option.name)
            if setting is not None and given is None:
                changes[option.name] = setting
            elif setting is not None and option.name in _ADDED_UP:
                changes[option.name] = [*setting, *given]
        return replace(options, **changes)

    def check_model(self, given: str | None) -> None:
        """Refuses a model folder of the project that the user did not ask for: `given` is the model that they named."""
        model = self.settings.get("model")
        if given or not model or self.named_by_user or model in _installed() or not _is_folder(Path(model)):
            return
        raise ConfigError(
            f"{self.path} names the model folder {model}, which is used only if you ask for it: "
            f"add --model {model}, or name an installed model in the file"
        )

    def _check_dictionaries(self) -> None:
        """Refuses files that a stranger's project may not name: devices, large files, and files outside of it."""
        inside = None if self.named_by_user or not self.folder else project_root(self.folder)
        total = 0
        for path in self.settings.get("dictionary") or ():
            try:
                total += check_file(path, LARGEST_DICTIONARY, inside)
            except FileNotFoundError:
                raise ConfigError(f"{self.path} names the dictionary {one_line(path)}, which does not exist") from None
            except InputError as error:
                raise ConfigError(f"{self.path} names a dictionary that is not used: {one_line(error, 1000)}") from None
        if total > LARGEST_DICTIONARY:
            raise ConfigError(
                f"{self.path} names dictionaries of {total:,} bytes; at most {LARGEST_DICTIONARY:,} are read"
            )


def find(folder: Path) -> Configuration:
    """The settings of a folder: its own, or the nearest in its parent folders up to the root of the repository."""
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
    """Reads a file of settings. A pyproject.toml without a table for Redraft gives an empty configuration."""
    text = read_text(path, MOST_BYTES).text
    table = _parse(path, text)
    if path.name == PYPROJECT:
        tools = table.get("tool", {})
        if not isinstance(tools, dict) or "redraft" not in tools:
            return Configuration()
        table = tools["redraft"]
        if not isinstance(table, dict):
            raise ConfigError(f"{path}: tool.redraft must be a table")
    try:
        found = read_values(_hints(), table, renamed=_RENAMED)
    except SettingError as error:
        raise ConfigError(f"{path.absolute()}{_line_of(error.key, text)}: {error}") from None
    input_formats = found.pop(INPUT_FORMAT, {})
    settings = {key.replace("-", "_"): value for key, value in found.items()}
    return Configuration(path.absolute(), _resolve_paths(settings, path.absolute().parent), input_formats)


def _parse(path: Path, text: str) -> dict[str, Any]:
    if _LONG_KEY.search(text):  # the time to read a key grows with the square of its parts
        raise ConfigError(f"{path} is not valid TOML: it has a key of a hundred parts or more")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ConfigError(f"{path} is not valid TOML: it is nested too deeply") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path} is not valid TOML: {one_line(error)}") from None
    except ValueError:
        raise ConfigError(f"{path} is not valid TOML: it has a number of thousands of digits") from None


@cache
def _hints() -> dict[str, Any]:
    """The type of each setting, taken from the options."""
    found: dict[str, Any] = {}
    for group in (ModelOptions, TextOptions):
        for name, hint in get_type_hints(group, include_extras=True).items():
            if name not in _ONLY_COMMAND_LINE:
                found[name.replace("_", "-")] = hint
    found[POSSIBLE_ERRORS] = bool
    found[INPUT_FORMAT] = Mapping[str, Annotated[str, OneOf(list_formats)]]
    return found


def _resolve_paths(settings: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Makes paths relative to the folder of the file, wherever the command runs."""
    if "dictionary" in settings:
        settings["dictionary"] = [folder / path for path in settings["dictionary"]]
    model = settings.get("model")
    if model and model not in _installed() and _is_folder(folder / model):
        settings["model"] = str(folder / model)
    return settings


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):  # a name that is too long, or has a null character
        return False


def _installed() -> Container[str]:
    from redraft.model.catalogue import installed

    return installed()


def _line_of(key: tuple[str, ...], text: str) -> str:
    """The line of a setting, which the TOML parser does not give: the first that has its name."""
    names = [name for name in reversed(key) if not name.isdigit()]  # entries of lists have numbers
    for name in names:
        pattern = re.compile(rf"(?!\s*#).*(?<![\w-]){re.escape(name)}(?![\w-])")
        for number, line in enumerate(text.split("\n"), start=1):
            if pattern.match(line):
                return f":{number}"
    return ""
